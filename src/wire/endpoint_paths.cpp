// SPDX-License-Identifier: BSD-3-Clause
// Which packets of an endpoint go over TCP connections instead of as datagrams: new ones of long
// messages, where its owner has opened one for them. ACKs, grants and what goes again are
// datagrams. A connection is asked for on links whose budget has grown: on slow ones all paths are
// as fast as the link.
#include "wire/endpoint.h"

namespace quadrille::wire {

// What is under way keeps its path: what overtakes others would count as their loss.
void Endpoint::choose_path(Flow& flow) {
  if (flow.out.sent() > flow.out.acknowledged()) return;
  flow.by_stream = false;
  const std::uint64_t packets = flow.out.announced() - flow.out.sent();
  if (packets < shortest_run() || flow.group != nullptr) return;
  flow.by_stream = streams_.contains(flow.key.first);
  if (!flow.by_stream && budget_.has_grown()) wants_stream_ = flow.key.first;
}

void Endpoint::set_stream(EndpointId peer, bool open) {
  if (open) {
    streams_.insert(peer);
  } else {
    streams_.erase(peer);
  }
}

// What was in a connection that has ended may be lost.
void Endpoint::lose_stream(EndpointId peer) {
  streams_.erase(peer);
  for (auto next = flows_.lower_bound({peer, 0}); next != flows_.end() && next->first.first == peer;
       ++next)
    next->second->by_stream = false;
}

}  // namespace quadrille::wire
