// SPDX-License-Identifier: BSD-3-Clause
// A stream belongs to the peer whose packet it brings; one that brings anything else is closed.
#include "wire/engine/peer_streams.h"

#include <array>
#include <utility>

#include "base/monotonic_clock.h"

namespace quadrille::wire {
namespace {

// While there is no stream: who opens one has waited for long already.
constexpr Nanoseconds between_looks{1'000'000};
// While there are some that bring nothing: each look is a system call. A caller's own round may
// take long, so rounds are no measure: a stream that is not read for thousands of packets the other
// way brings what no longer counts.
constexpr Nanoseconds between_looks_at_streams{20'000};
// What a stream brings may come in pieces.
constexpr Nanoseconds goes_on_for{200'000};
// For long messages.
constexpr std::size_t most_ways = 64;
constexpr Nanoseconds before_another{1'000'000'000};

}  // namespace

PeerStreams::PeerStreams(std::unique_ptr<StreamLink> link, BulkPath bulk,
                         std::function<void(PeerNumber)> say)
    : link_(std::move(link)), say_(std::move(say)), costs_(bulk) {}

bool PeerStreams::exchange(Protocol& protocol, Nanoseconds now, std::size_t some,
                           const std::function<void()>& between) {
  if (!is_due(now)) return false;
  looked_ = now;
  is_woken_ = false;
  link_->exchange();
  take_ends(protocol);
  bool any = false;
  std::size_t taken = 0;
  while (const auto arrival = link_->next()) {
    any = true;
    taken += arrival->datagram.size();
    if (!take_in(protocol, *arrival, now)) on_strange(protocol, arrival->stream);
    if (taken < some) continue;
    taken = 0;
    between();
  }
  if (any) {
    busy_until_ = now + goes_on_for;
    protocol.learn([this](std::size_t bytes) { return link_->took(bytes); }, now);
  }
  take_ends(protocol);
  if (fallbacks_ > 0 || now - tended_ >= between_looks) tend(protocol, now);
  return any;
}

bool PeerStreams::is_due(Nanoseconds now) {
  if (is_woken_ || now < busy_until_ || fallbacks_ > 0 || link_->has_unsent()) return true;
  return now - looked_ >= (ways_.empty() ? between_looks : between_looks_at_streams);
}

bool PeerStreams::take_in(Protocol& protocol, const StreamLink::Arrival& arrival, Nanoseconds now) {
  std::array<std::byte, Protocol::longest_hail> answer{};
  if (const auto hailed = protocol.on_hail(arrival.datagram, answer, now))
    return take_hail(arrival, *hailed, std::span(answer).first(hailed->answer));
  const auto known = known_.find(arrival.stream);
  const NetworkAddress from =
      known == known_.end() ? NetworkAddress{} : protocol.address_of(known->second).datagrams;
  const auto heard = protocol.on_datagram(from, arrival.datagram, now);
  if (heard) heard_by_stream(protocol, arrival.stream, *heard, now);
  return heard.has_value();
}

// Whom this end hails is known; of who hails it, that it is genuine is enough.
bool PeerStreams::take_hail(const StreamLink::Arrival& arrival, const Protocol::Hailed& hailed,
                            std::span<const std::byte> answer) {
  const auto known = known_.find(arrival.stream);
  if (known != known_.end()) {
    if (hailed.from != known->second) return false;
    unproven_.erase(arrival.stream);
    refused_once_.erase(known->second);
    return true;
  }
  if (answer.empty()) return false;
  link_->send(arrival.stream, answer);
  if (hailed.from) known_[arrival.stream] = *hailed.from;
  return true;
}

// What has left over a stream still arrives when it is closed.
bool PeerStreams::is_needed_for_bulk(Protocol& protocol, PeerNumber peer, Way& way,
                                     Nanoseconds now) {
  if (!way.is_wanted) return false;
  const bool prefers_stream = costs_.prefer_stream(now);
  const bool uses = prefers_stream && link_->is_connected(way.stream);
  if (std::exchange(way.is_used, uses) != uses) protocol.set_stream(peer, uses);
  return prefers_stream || costs_.is_undecided();
}

bool PeerStreams::is_needed(Protocol& protocol, PeerNumber peer, Way& way, Nanoseconds now) {
  if (protocol.is_lost(peer)) return false;
  const bool is_kept = is_needed_for_bulk(protocol, peer, way, now) || !way.opened_here;
  if (!way.fallback) return is_kept;
  protocol.set_receive_loss(peer, way.fallback->receive_loss());
  if (!way.fallback->is_over(protocol.has_receive_loss(peer), now)) return true;
  way.fallback.reset();
  --fallbacks_;
  return is_kept;
}

void PeerStreams::tend(Protocol& protocol, Nanoseconds now) {
  tended_ = now;
  for (auto next = ways_.begin(); next != ways_.end();) {
    const auto current = next++;
    if (is_needed(protocol, current->first, current->second, now)) continue;
    const StreamLink::Stream stream = current->second.stream;
    link_->close(stream);
    forget(protocol, current->first, stream);
  }
}

void PeerStreams::begin_fallback(Way& way, bool was_silent) {
  if (way.fallback) return;
  way.fallback.emplace(was_silent);
  ++fallbacks_;
}

void PeerStreams::heard_by_stream(Protocol& protocol, StreamLink::Stream stream,
                                  const Protocol::Heard& heard, Nanoseconds now) {
  // Both ends may have opened one: each sends over its own, or over the first that it was given.
  known_.try_emplace(stream, heard.from);
  refused_once_.erase(heard.from);
  const auto [found, added] = ways_.try_emplace(heard.from, Way{.stream = stream});
  Way& way = found->second;
  // A later one of the other end's: the earlier may be dead there.
  if (!added && !way.opened_here && stream > way.stream) {
    way.stream = stream;
    if (std::exchange(way.is_used, false)) protocol.lose_stream(heard.from);
  }
  unproven_.erase(way.stream);
  if (!heard.is_ack) return;
  begin_fallback(way, false);
  way.fallback->heard_ack_by_stream(now);
  if (way.fallback->confirmed() && said_.insert(heard.from).second) say_(heard.from);
}

// A peer's own packet may have waited in the stream until its short numbers meant others: it is not
// taken, and whoever counts on the stream would wait for it for ever. When the stream ends it
// counts as lost, and goes again.
void PeerStreams::on_strange(Protocol& protocol, StreamLink::Stream stream) {
  link_->close(stream);
  const auto known = known_.find(stream);
  if (known == known_.end()) return;
  const PeerNumber peer = known->second;
  const bool unproven = unproven_.contains(stream);
  forget(protocol, peer, stream);
  if (unproven) refused(peer);
}

PeerStreams::Way* PeerStreams::way_to(Protocol& protocol, PeerNumber peer) {
  if (const auto found = ways_.find(peer); found != ways_.end()) return &found->second;
  const NetworkAddress to = protocol.address_of(peer).streams;
  if (to.port == 0) return nullptr;
  const auto stream = link_->connect(to);
  if (!stream) return nullptr;
  known_[*stream] = peer;
  std::array<std::byte, Protocol::longest_hail> hail{};
  if (const std::size_t length = protocol.hail(peer, hail); length > 0)
    link_->send(*stream, std::span(hail).first(length));
  return &ways_.try_emplace(peer, Way{.stream = *stream, .opened_here = true}).first->second;
}

void PeerStreams::open_streams(Protocol& protocol) {
  while (const auto silent = protocol.next_silent()) {
    const bool is_new = !ways_.contains(*silent);
    Way* const way = way_to(protocol, *silent);
    if (way == nullptr || way->fallback) continue;
    if (is_new) unproven_.insert(way->stream);
    begin_fallback(*way, true);
    protocol.set_receive_loss(*silent, true);
  }
  while (const auto wanting = protocol.next_wanting_stream()) {
    const auto pause = not_before_.find(*wanting);
    const bool waits = pause != not_before_.end() && looked_ < pause->second;
    if (waits || ways_.size() >= most_ways || !costs_.prefer_stream(looked_)) continue;
    if (Way* const way = way_to(protocol, *wanting)) way->is_wanted = true;
  }
}

bool PeerStreams::send(const Protocol& protocol, const Protocol::Outgoing& outgoing,
                       std::span<const std::byte> bytes) {
  const auto found = ways_.find(outgoing.peer);
  if (found == ways_.end()) return false;
  const Way& way = found->second;
  const bool is_bulk = outgoing.by_stream;
  const bool is_lost_otherwise =
      way.fallback && (outgoing.is_ack || protocol.has_receive_loss(outgoing.peer));
  if (!is_bulk && !is_lost_otherwise) return false;
  const Nanoseconds begin = is_bulk ? monotonic_now() : Nanoseconds{};
  const bool went =
      link_->send(way.stream, bytes, outgoing.datagram > 0 ? outgoing.datagram : bytes.size());
  if (is_bulk && went) costs_.stream_took(bytes.size(), monotonic_now() - begin);
  return went && !outgoing.is_ack;
}

void PeerStreams::refused(PeerNumber peer) {
  if (!refused_once_.insert(peer).second) refused_.insert(peer);
}

void PeerStreams::forget(Protocol& protocol, PeerNumber peer, StreamLink::Stream stream) {
  known_.erase(stream);
  unproven_.erase(stream);
  const auto way = ways_.find(peer);
  if (way == ways_.end() || way->second.stream != stream) return;
  if (way->second.fallback) --fallbacks_;
  if (way->second.is_wanted) {
    not_before_[peer] = looked_ + before_another;
    protocol.lose_stream(peer);
  }
  ways_.erase(way);
  protocol.set_receive_loss(peer, false);
}

void PeerStreams::take_ends(Protocol& protocol) {
  using Ending = StreamLink::Ending;
  for (const StreamLink::End& end : link_->ended()) {
    const auto known = known_.find(end.stream);
    if (known == known_.end()) continue;
    const PeerNumber peer = known->second;
    const bool unproven = unproven_.contains(end.stream);
    forget(protocol, peer, end.stream);
    if (unproven && end.ending != Ending::lost) refused(peer);
  }
}

std::set<PeerStreams::PeerNumber> PeerStreams::refusals() { return std::exchange(refused_, {}); }

}  // namespace quadrille::wire
