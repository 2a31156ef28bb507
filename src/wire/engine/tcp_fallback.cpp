// SPDX-License-Identifier: BSD-3-Clause
// A stream belongs to the peer whose packet it brings; one that brings anything else is closed.
#include "wire/engine/tcp_fallback.h"

#include <array>
#include <utility>

namespace quadrille::wire {
namespace {

// While there is no TCP fallback: who opens one has waited for long already.
constexpr Nanoseconds between_looks{1'000'000};

}  // namespace

TcpFallback::TcpFallback(std::unique_ptr<StreamLink> link, std::function<void(PeerNumber)> say)
    : link_(std::move(link)), say_(std::move(say)) {}

bool TcpFallback::exchange(Protocol& protocol, Nanoseconds now) {
  if (ways_.empty() && now - looked_ < between_looks) return false;
  looked_ = now;
  link_->exchange();
  take_ends(protocol);
  bool any = false;
  while (const auto arrival = link_->next()) {
    any = true;
    if (!take_in(protocol, *arrival, now)) on_strange(protocol, arrival->stream);
  }
  take_ends(protocol);
  close_unneeded(protocol, now);
  return any;
}

bool TcpFallback::take_in(Protocol& protocol, const StreamLink::Arrival& arrival,
                          Nanoseconds now) {
  std::array<std::byte, Protocol::longest_hail> answer{};
  if (const auto hailed = protocol.on_hail(arrival.datagram, answer, now))
    return take_hail(arrival, *hailed, std::span(answer).first(hailed->answer));
  const auto known = known_.find(arrival.stream);
  const NetworkAddress from =
      known == known_.end() ? NetworkAddress{} : protocol.address_of(known->second).datagrams;
  const auto heard = protocol.on_datagram(from, arrival.datagram, now);
  if (heard) heard_by_stream(arrival.stream, *heard, now);
  return heard.has_value();
}

// Whom this end hails is known; of who hails it, that it is genuine is enough.
bool TcpFallback::take_hail(const StreamLink::Arrival& arrival, const Protocol::Hailed& hailed,
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

void TcpFallback::close_unneeded(Protocol& protocol, Nanoseconds now) {
  for (auto next = ways_.begin(); next != ways_.end();) {
    const PeerNumber peer = next->first;
    Way& way = next->second;
    const bool is_lost = protocol.is_lost(peer);
    if (!is_lost) protocol.set_receive_loss(peer, way.state.receive_loss());
    if (!is_lost && !way.state.is_over(protocol.has_receive_loss(peer), now)) {
      ++next;
      continue;
    }
    known_.erase(way.stream);
    unproven_.erase(way.stream);
    link_->close(way.stream);
    next = ways_.erase(next);
  }
}

void TcpFallback::heard_by_stream(StreamLink::Stream stream, const Protocol::Heard& heard,
                                  Nanoseconds now) {
  // Both ends may have opened one: each sends over its own, or over the first that it was given.
  known_.try_emplace(stream, heard.from);
  refused_once_.erase(heard.from);
  const auto [way, added] = ways_.try_emplace(heard.from, Way{stream, PeerFallback(false)});
  // A later one of the other end's: the earlier may be dead there.
  if (!added && !way->second.state.opened_here() && stream > way->second.stream)
    way->second.stream = stream;
  unproven_.erase(way->second.stream);
  if (!heard.is_ack) return;
  way->second.state.heard_ack_by_stream(now);
  if (way->second.state.confirmed() && said_.insert(heard.from).second) say_(heard.from);
}

void TcpFallback::on_strange(Protocol& protocol, StreamLink::Stream stream) {
  const auto known = known_.find(stream);
  if (known == known_.end()) return link_->close(stream);
  if (!unproven_.contains(stream)) return;  // of a packet of the peer's that no longer counts
  const PeerNumber peer = known->second;
  link_->close(stream);
  forget(protocol, peer, stream);
  refused(peer);
}

void TcpFallback::open_where_silent(Protocol& protocol) {
  while (const auto silent = protocol.next_silent()) {
    const NetworkAddress to = protocol.address_of(*silent).streams;
    if (ways_.contains(*silent) || to.port == 0) continue;
    const auto stream = link_->connect(to);
    if (!stream) continue;
    known_[*stream] = *silent;
    unproven_.insert(*stream);
    ways_.try_emplace(*silent, Way{*stream, PeerFallback(true)});
    std::array<std::byte, Protocol::longest_hail> hail{};
    if (const std::size_t length = protocol.hail(*silent, hail); length > 0)
      link_->send(*stream, std::span(hail).first(length));
    protocol.set_receive_loss(*silent, true);
  }
}

void TcpFallback::refused(PeerNumber peer) {
  if (!refused_once_.insert(peer).second) refused_.insert(peer);
}

void TcpFallback::forget(Protocol& protocol, PeerNumber peer, StreamLink::Stream stream) {
  known_.erase(stream);
  unproven_.erase(stream);
  const auto way = ways_.find(peer);
  if (way == ways_.end() || way->second.stream != stream) return;
  ways_.erase(way);
  protocol.set_receive_loss(peer, false);
}

void TcpFallback::take_ends(Protocol& protocol) {
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

std::set<TcpFallback::PeerNumber> TcpFallback::refusals() { return std::exchange(refused_, {}); }

}  // namespace quadrille::wire
