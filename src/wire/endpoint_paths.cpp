// SPDX-License-Identifier: BSD-3-Clause
// Which way packets of an endpoint go. Long messages take several paths in turn, and new packets of
// theirs go over TCP connections instead of as datagrams where its owner has opened one for them.
// ACKs, grants and short messages are datagrams on the first path. Both only where messages come or
// have gone fast: on slow links all paths are as fast as the link.
#include "wire/endpoint.h"

namespace quadrille::wire {
namespace {

constexpr double least_timed_bytes = 64 * 1024;
// What no gigabit link carries.
constexpr double fast_bit_per_ns = 1.5;

}  // namespace

// What is under way keeps its path: what overtakes others would count as their loss.
void Endpoint::choose_path(Flow& flow, Nanoseconds now) {
  if (flow.out.sent() > flow.out.acknowledged()) return;
  flow.by_stream = false;
  flow.out.set_paths(1);
  const std::uint64_t packets = flow.out.announced() - flow.out.sent();
  if (packets < shortest_run() || flow.group != nullptr) return;
  flow.by_stream = streams_.contains(flow.key.first);
  if (!flow.is_fast) flow.rate_since = {flow.out.sent(), now};
  if (!flow.is_fast && !budget_.has_grown()) return;
  flow.out.set_paths(settings_.paths);
  if (!flow.by_stream) wants_stream_ = flow.key.first;
}

// With the time that its grants have taken.
void Endpoint::note_rate(Flow& flow, Nanoseconds now) {
  const std::uint64_t packets = flow.out.acknowledged() - flow.rate_since->first;
  const auto bits = static_cast<double>(8 * packets * settings_.limits.payload);
  if (bits < 8 * least_timed_bytes) return;
  flow.is_fast =
      bits > fast_bit_per_ns * static_cast<double>((now - flow.rate_since->second).value);
  flow.rate_since.reset();
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
