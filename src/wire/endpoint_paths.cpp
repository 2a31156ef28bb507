// SPDX-License-Identifier: BSD-3-Clause
// Which packets of an endpoint go over TCP connections instead of as datagrams: new ones of long
// messages, where that is faster. ACKs, grants and what goes again are datagrams.
#include "wire/endpoint.h"

namespace quadrille::wire {
namespace {

// A connection is asked for by a message so long, of which so much may leave at once: on links
// whose budget has grown.
constexpr std::uint64_t worth_a_stream = 128;
constexpr std::uint64_t granted_at_once = 32;

}  // namespace

void Endpoint::choose_path(Flow& flow, Nanoseconds now) {
  if (flow.out.sent() > flow.out.acknowledged()) return;
  flow.by_stream = false;
  flow.burst.reset();
  const std::uint64_t packets = flow.out.announced() - flow.out.sent();
  if (packets < PathChoice::least_packets || flow.group != nullptr) return;
  if (!streams_.contains(flow.key.first)) {
    const bool many_may_leave = flow.out.granted() >= flow.out.sent() + granted_at_once;
    if (settings_.bulk != BulkPath::datagrams && packets >= worth_a_stream && many_may_leave)
      wants_stream_ = flow.key.first;
    return;
  }
  if (!flow.paths) flow.paths = std::make_unique<PathChoice>(settings_.bulk);
  flow.by_stream = flow.paths->next(packets) == Path::stream;
  flow.burst = {flow.out.announced(), packets, now};
}

void Endpoint::note_burst(Flow& flow, Nanoseconds now) {
  if (!flow.burst || flow.out.acknowledged() < flow.burst->end) return;
  flow.paths->took(flow.by_stream ? Path::stream : Path::datagrams, flow.burst->packets,
                   now - flow.burst->began);
  flow.burst.reset();
}

void Endpoint::set_stream(EndpointId peer, bool open) {
  if (open) {
    streams_.insert(peer);
  } else {
    streams_.erase(peer);
  }
}

}  // namespace quadrille::wire
