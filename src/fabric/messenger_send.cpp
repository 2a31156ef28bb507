// SPDX-License-Identifier: BSD-3-Clause
// Messages that leave: at once, or offered and called for.
#include <algorithm>
#include <utility>

#include "fabric/messenger.h"

namespace quadrille::fabric {

void Messenger::send(const SendRequest& request, Nanoseconds now) {
  Peer& peer = *peers_[request.to];
  Head head{.tagged = request.tagged,
            .tag = request.tag,
            .data = request.data,
            .offered = false,
            .length = request.bytes.size()};
  if (peer.lost) return end_send(head, request.report, request.to, Outcome::peer_lost);
  const bool goes_at_once = peer.conversation && !request.until_delivered &&
                            request.bytes.size() <= peer.conversation->most_eager() &&
                            peer.credit.allows(request.bytes.size());
  if (!goes_at_once) return offer(request, head, now);
  peer.credit.sent(request.bytes.size());
  peer.conversation->send_message(head, request.bytes, now);
  touch(request.to, now);
  end_send(head, request.report, request.to, Outcome::success);
}

void Messenger::offer(const SendRequest& request, Head head, Nanoseconds now) {
  Peer& peer = *peers_[request.to];
  head.offered = true;
  head.offer = peer.next_offer++;
  std::vector<std::byte> copy;
  if (request.copies) copy.assign(request.bytes.begin(), request.bytes.end());
  Offer& offer = peer.offers[head.offer];
  offer = {.bytes = request.copies ? std::span<const std::byte>(copy) : request.bytes,
           .copy = std::move(copy),
           .head = head,
           .report = request.report};
  copied_bytes_ += offer.copy.size();
  carry_on([&] {
    // Nobody waits for a copy any more.
    if (request.copies && !request.until_delivered) {
      end_send(head, request.report, request.to, Outcome::success);
      offer.has_ended = true;
    }
    if (!peer.conversation) return on_message(request.to, {head, {}}, now);
    peer.conversation->send_message(head, {}, now);
    touch(request.to, now);
    ask_programs_later(now);
  });
}

void Messenger::end_offer(std::uint32_t number, PeerNumber to, Outcome outcome) {
  auto& offers = peers_[to]->offers;
  const auto found = offers.find(number);
  const Offer& offer = found->second;
  if (!offer.has_ended) end_send(offer.head, offer.report, to, outcome);
  copied_bytes_ -= offer.copy.size();
  offers.erase(found);
}

void Messenger::on_call(PeerNumber from, const Control& control, Nanoseconds now) {
  Peer& peer = *peers_[from];
  const auto found = peer.offers.find(control.offer);
  if (found == peer.offers.end() || std::exchange(found->second.is_called, true) ||
      control.bytes > found->second.bytes.size())
    return lose(from);
  if (control.bytes == 0) {
    return end_offer(control.offer, from, Outcome::success);
  }
  const Token token = next_token_++;
  leaving_[token] = {from, control.offer};
  peer.conversation->send_bulk(found->second.bytes.first(control.bytes), token, now);
  touch(from, now);
}

void Messenger::end_send(const Head& head, const Report& report, PeerNumber to, Outcome outcome) {
  done_.push_back({.received = false,
                   .tagged = head.tagged,
                   .report = report,
                   .length = head.length,
                   .data = {},
                   .tag = head.tag,
                   .from = to,
                   .outcome = outcome});
}

void Messenger::call_for(PeerNumber from, std::uint32_t offer, std::uint64_t bytes,
                         Nanoseconds now) {
  Peer& peer = *peers_[from];
  if (peer.lost) return;
  peer.conversation->send_control(
      {.freed = peer.credit.tell(), .calls = true, .offer = offer, .bytes = bytes}, now);
  touch(from, now);
}

void Messenger::tell_credit(PeerNumber to, Nanoseconds now) {
  Peer& peer = *peers_[to];
  if (peer.lost || !peer.credit.worth_telling()) return;
  peer.conversation->send_control({.freed = peer.credit.tell()}, now);
  touch(to, now);
}

}  // namespace quadrille::fabric
