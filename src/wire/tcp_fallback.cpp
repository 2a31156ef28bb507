// SPDX-License-Identifier: BSD-3-Clause
// A stream belongs to the peer whose packet it brings; one that brings anything else is closed.
#include "wire/tcp_fallback.h"

#include <algorithm>
#include <utility>

namespace quadrille::wire {
namespace {

// While there is no TCP fallback: who opens one has waited for long already.
constexpr Nanoseconds between_looks{1'000'000};

}  // namespace

TcpFallback::TcpFallback(std::unique_ptr<StreamLink> link, std::vector<NetworkAddress> peers,
                         std::function<void(EndpointId)> say)
    : link_(std::move(link)), peers_(std::move(peers)), say_(std::move(say)) {}

bool TcpFallback::exchange(Endpoint& endpoint, Nanoseconds now) {
  if (ways_.empty() && now - looked_ < between_looks) return false;
  looked_ = now;
  link_->exchange();
  take_ends(endpoint);
  bool any = false;
  while (const auto arrival = link_->next()) {
    any = true;
    if (const auto heard = endpoint.on_datagram(arrival->datagram, now)) {
      heard_by_stream(*arrival, *heard, now);
    } else {
      on_strange(endpoint, arrival->stream);
    }
  }
  take_ends(endpoint);
  for (auto next = ways_.begin(); next != ways_.end();) {
    const EndpointId peer = next->first;
    Way& way = next->second;
    endpoint.set_receive_loss(peer, way.state.receive_loss());
    if (!way.state.is_over(endpoint.has_receive_loss(peer), now)) {
      ++next;
      continue;
    }
    known_.erase(way.stream);
    unproven_.erase(way.stream);
    link_->close(way.stream);
    next = ways_.erase(next);
  }
  return any;
}

void TcpFallback::heard_by_stream(const StreamLink::Arrival& arrival, const Endpoint::Heard& heard,
                                  Nanoseconds now) {
  // Both ends may have opened one: each sends over its own, or over the first that it was given.
  known_.try_emplace(arrival.stream, heard.from);
  refused_once_.erase(heard.from);
  const auto [way, added] = ways_.try_emplace(heard.from, Way{arrival.stream, PeerFallback(false)});
  // A later one of the other end's: the earlier may be dead there.
  if (!added && !way->second.state.opened_here() && arrival.stream > way->second.stream)
    way->second.stream = arrival.stream;
  unproven_.erase(way->second.stream);
  if (!heard.is_ack) return;
  way->second.state.heard_ack_by_stream(now);
  if (way->second.state.confirmed() && said_.insert(heard.from).second) say_(heard.from);
}

void TcpFallback::on_strange(Endpoint& endpoint, StreamLink::Stream stream) {
  const auto known = known_.find(stream);
  if (known == known_.end()) return link_->close(stream);
  if (!unproven_.contains(stream)) return;  // of a packet of the peer's that no longer counts
  const EndpointId peer = known->second;
  link_->close(stream);
  forget(endpoint, peer, stream);
  refused(peer);
}

void TcpFallback::open_where_silent(Endpoint& endpoint) {
  while (const auto silent = endpoint.next_silent()) {
    if (ways_.contains(*silent) || peers_[*silent].port == 0) continue;
    const auto stream = link_->connect(peers_[*silent]);
    if (!stream) continue;
    known_[*stream] = *silent;
    unproven_.insert(*stream);
    ways_.try_emplace(*silent, Way{*stream, PeerFallback(true)});
    endpoint.set_receive_loss(*silent, true);
  }
}

void TcpFallback::refused(EndpointId peer) {
  if (!refused_once_.insert(peer).second) refused_.insert(peer);
}

void TcpFallback::forget(Endpoint& endpoint, EndpointId peer, StreamLink::Stream stream) {
  known_.erase(stream);
  unproven_.erase(stream);
  const auto way = ways_.find(peer);
  if (way == ways_.end() || way->second.stream != stream) return;
  ways_.erase(way);
  endpoint.set_receive_loss(peer, false);
}

void TcpFallback::take_ends(Endpoint& endpoint) {
  using Ending = StreamLink::Ending;
  for (const StreamLink::End& end : link_->ended()) {
    const auto known = known_.find(end.stream);
    if (known == known_.end()) continue;
    const EndpointId peer = known->second;
    const bool unproven = unproven_.contains(end.stream);
    forget(endpoint, peer, end.stream);
    if (unproven && end.ending != Ending::lost) refused(peer);
  }
}

std::set<EndpointId> TcpFallback::refusals() { return std::exchange(refused_, {}); }

}  // namespace quadrille::wire
