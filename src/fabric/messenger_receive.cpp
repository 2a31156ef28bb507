// SPDX-License-Identifier: BSD-3-Clause
// Messages that come, and the receives that take them.
#include <algorithm>
#include <utility>

#include "base/copy_bytes.h"
#include "fabric/messenger.h"

namespace quadrille::fabric {

Token Messenger::add_receive(const ReceiveRequest& request) {
  const Token token = next_token_++;
  receives_[token].request = request;
  return token;
}

void Messenger::receive(const ReceiveRequest& request, Nanoseconds now) {
  const Token token = add_receive(request);
  carry_on([&] { post(token, request, now); });
}

void Messenger::post(Token token, const ReceiveRequest& request, Nanoseconds now) {
  Matcher& matcher = this->matcher(request.tagged);
  const bool stays = request.least_room.has_value();
  // One that stays is posted behind what it has taken, unless that has filled it.
  while (const auto message = matcher.take_message(request.pattern)) {
    take(*message, token, now);
    const auto left = receives_.find(token);
    if (!stays || left == receives_.end() || !left->second.posted) return;
  }
  matcher.post(request.pattern, token, stays);
  const auto& from = request.pattern.from;
  const bool is_lost = reaches_nobody_ || (from && peers_[*from]->lost);
  if (is_lost && matcher.withdraw_receive(token)) end_waiting(token, Outcome::peer_lost);
  if (from && !is_lost) ask_programs_later(now);
}

bool Messenger::on_packet(PeerNumber from, std::span<const std::byte> bytes, Nanoseconds now) {
  Peer& peer = *peers_[from];
  const auto parsed = parse_message(bytes);
  if (!parsed) return false;
  const auto& [head, payload] = *parsed;
  if (!head.offered && payload.size() < head.length) {
    if (head.length > Conversation::longest_eager) return false;
    begin_rest(from, *parsed, now);
  } else if (peer.arriving.empty()) {
    on_message(from, *parsed, now);
  } else {
    peer.arriving.push_back(
        {.head = head, .bytes = {payload.begin(), payload.end()}, .is_whole = true});
  }
  return true;
}

// Where a receive waits that has room for it, and nothing comes before it, it goes there at once.
void Messenger::begin_rest(PeerNumber from, const ParsedMessage& message, Nanoseconds now) {
  const auto& [head, first] = message;
  Peer& peer = *peers_[from];
  Arriving arriving{.head = head};
  std::span<std::byte> room;
  const auto receive =
      peer.arriving.empty() ? matcher(head.tagged).take_receive({from, head.tag}) : std::nullopt;
  if (receive) {
    const Done done = begin_delivery(*receive, from, head);
    arriving.transfer = next_token_++;
    transfers_[*arriving.transfer] = {*receive, from, done};
    if (done.excess == 0) room = {done.buffer, done.length};
  }
  if (room.empty()) {
    arriving.bytes.resize(head.length);
    room = arriving.bytes;
  }
  peer.arriving.push_back(std::move(arriving));
  peer.conversation->receive_rest(copy_bytes(first, room), now);
}

void Messenger::on_rest(PeerNumber from, Nanoseconds now) {
  Peer& peer = *peers_[from];
  std::ranges::find(peer.arriving, false, &Arriving::is_whole)->is_whole = true;
  while (!peer.arriving.empty() && peer.arriving.front().is_whole) {
    const Arriving message = std::move(peer.arriving.front());
    peer.arriving.pop_front();
    if (!message.transfer) {
      on_message(from, {message.head, message.bytes}, now);
      continue;
    }
    const Transfer transfer = transfers_.extract(*message.transfer).mapped();
    const Done& done = transfer.done;
    if (!message.bytes.empty())
      copy_bytes(std::span(message.bytes).first(done.length), {done.buffer, done.length});
    end_delivery(transfer.receive, from, message.head, done, now);
  }
}

void Messenger::on_message(PeerNumber from, const ParsedMessage& message, Nanoseconds now) {
  const Head& head = message.head;
  const Envelope envelope{from, head.tag};
  Matcher& matcher = this->matcher(head.tagged);
  if (const auto receive = matcher.take_receive(envelope))
    return deliver(*receive, from, head, message.payload, now);
  const Token token = next_token_++;
  waiting_[token] = {from, head, {message.payload.begin(), message.payload.end()}};
  waiting_bytes_ += message.payload.size();
  matcher.keep(envelope, token);
}

void Messenger::take(Token message, Token receive, Nanoseconds now) {
  const Waiting waiting = waiting_.extract(message).mapped();
  waiting_bytes_ -= waiting.bytes.size();
  deliver(receive, waiting.from, waiting.head, waiting.bytes, now);
}

std::span<std::byte> Messenger::room_for(Receive& receive, std::uint64_t length) {
  const auto left = receive.request.buffer.subspan(receive.used);
  const auto room = left.first(std::min<std::uint64_t>(length, left.size()));
  if (receive.request.least_room) receive.used += room.size();
  return room;
}

Done Messenger::begin_delivery(Token receive, PeerNumber from, const Head& head) {
  Receive& taker = receives_.at(receive);
  const auto room = room_for(taker, head.length);
  ++taker.under_way;
  const auto& least = taker.request.least_room;
  if (!least) {
    taker.posted = false;
  } else if (taker.request.buffer.size() - taker.used < *least) {
    taker.posted = false;
    matcher(taker.request.tagged).withdraw_receive(receive);
  }
  return {.received = true,
          .tagged = head.tagged,
          .report = taker.request.report,
          .buffer = room.data(),
          .length = room.size(),
          .excess = head.length - room.size(),
          .data = head.data,
          .tag = head.tag,
          .from = from,
          .outcome = head.length > room.size() ? Outcome::truncated : Outcome::success};
}

void Messenger::deliver(Token receive, PeerNumber from, const Head& head,
                        std::span<const std::byte> bytes, Nanoseconds now) {
  const Done done = begin_delivery(receive, from, head);
  if (head.offered) return fetch(receive, done, from, head.offer, now);
  copy_bytes(bytes.first(done.length), {done.buffer, done.length});
  end_delivery(receive, from, head, done, now);
}

void Messenger::end_delivery(Token receive, PeerNumber from, const Head& head, const Done& done,
                             Nanoseconds now) {
  peers_[from]->credit.free(head.length);
  tell_credit(from, now);
  end_receive(receive, done);
}

void Messenger::fetch(Token receive, const Done& done, PeerNumber from, std::uint32_t offer,
                      Nanoseconds now) {
  Peer& peer = *peers_[from];
  const std::span<std::byte> room(done.buffer, done.length);
  if (peer.lost) {
    Done lost = done;
    lost.outcome = Outcome::peer_lost;
    return end_receive(receive, lost);
  }
  if (!peer.conversation) {
    copy_bytes(peer.offers.at(offer).bytes.first(room.size()), room);
    end_offer(offer, from, Outcome::success);
    return end_receive(receive, done);
  }
  if (!room.empty()) {
    const Token token = next_token_++;
    transfers_[token] = {receive, from, done};
    peer.conversation->receive_bulk(room, token, now);
  }
  call_for(from, offer, room.size(), now);
  if (room.empty()) end_receive(receive, done);
}

void Messenger::end_receive(Token token, const Done& done) {
  const auto found = receives_.find(token);
  Receive& receive = found->second;
  done_.push_back(done);
  --receive.under_way;
  if (receive.posted || receive.under_way > 0) return;
  if (receive.request.least_room) {
    done_.push_back({.received = true,
                     .tagged = receive.request.tagged,
                     .report = receive.request.report,
                     .data = {},
                     .from = {},
                     .releases = true});
  }
  receives_.erase(found);
}

void Messenger::end_waiting(Token receive, Outcome outcome) {
  const ReceiveRequest& request = receives_.at(receive).request;
  done_.push_back({.received = true,
                   .tagged = request.tagged,
                   .report = request.report,
                   .data = {},
                   .tag = request.pattern.tag,
                   .from = request.pattern.from,
                   .outcome = outcome});
  receives_.erase(receive);
}

std::optional<Messenger::Found> Messenger::peek(bool tagged, const Pattern& pattern,
                                                const void* claim_as) {
  const auto token = matcher(tagged).find_message(pattern);
  if (!token) return std::nullopt;
  if (claim_as != nullptr) {
    matcher(tagged).withdraw_message(*token);
    claimed_[claim_as] = *token;
  }
  const Waiting& waiting = waiting_.at(*token);
  return Found{waiting.head, waiting.from};
}

bool Messenger::receive_claimed(const void* claimed_as, const ReceiveRequest& request,
                                Nanoseconds now) {
  const auto claimed = claimed_.extract(claimed_as);
  if (claimed.empty()) return false;
  const Token token = add_receive(request);
  carry_on([&] { take(claimed.mapped(), token, now); });
  return true;
}

bool Messenger::discard_claimed(const void* claimed_as, Nanoseconds now) {
  const auto claimed = claimed_.extract(claimed_as);
  if (claimed.empty()) return false;
  const Waiting waiting = waiting_.extract(claimed.mapped()).mapped();
  waiting_bytes_ -= waiting.bytes.size();
  drop(waiting, now);
  return true;
}

void Messenger::drop(const Waiting& waiting, Nanoseconds now) {
  Peer& peer = *peers_[waiting.from];
  if (peer.lost) return;
  if (!waiting.head.offered) {
    peer.credit.free(waiting.head.length);
    return tell_credit(waiting.from, now);
  }
  if (peer.conversation) return call_for(waiting.from, waiting.head.offer, 0, now);
  end_offer(waiting.head.offer, waiting.from, Outcome::success);
}

bool Messenger::cancel(const void* context) {
  for (const auto& [token, receive] : receives_) {
    if (receive.request.report.context != context || !receive.posted) continue;
    if (!matcher(receive.request.tagged).withdraw_receive(token)) continue;
    if (receive.under_way == 0) {
      end_waiting(token, Outcome::canceled);
    } else {
      receives_.at(token).posted = false;  // what is under way still comes
    }
    return true;
  }
  return false;
}

}  // namespace quadrille::fabric
