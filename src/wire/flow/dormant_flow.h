// SPDX-License-Identifier: BSD-3-Clause
// What stays of a flow of which nothing is under way and whose communicator was freed, or has many
// others: the numbers at which both directions go on. The other end may not have freed its
// communicator yet, may not know that its last packet has arrived, and packets of both may still be
// somewhere in the network; a flow that wakes from these numbers treats all of that as the one
// before would have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wire/flow/probe_timer.h"
#include "wire/flow/sequence.h"
#include "wire/packet.h"

namespace quadrille::wire {

struct DormantFlow {
  EndpointId peer = 0;
  bool is_fast = false;  // see Flow
  bool released = false;
  ProbeTimer::RoundTrip round_trip;
  Sequence out = 0;                // packets before it have arrived there
  Sequence in = 0;                 // packets before it have arrived here
  std::uint64_t own_number = 0;    // of the last ACK sent
  std::uint64_t heard_number = 0;  // of the newest ACK heard
};

// Those of one channel. They live for the job, so a tree's nodes would cost as much again.
class DormantFlows {
 public:
  // REQUIRES: none of its peer.
  void add(const DormantFlow& flow) { flows_.insert(place_of(flow.peer), flow); }
  // The peer's, or one of nothing yet.
  DormantFlow& find_or_add(EndpointId peer) {
    const auto place = place_of(peer);
    if (place != flows_.end() && place->peer == peer) return *place;
    DormantFlow fresh;
    fresh.peer = peer;
    return *flows_.insert(place, fresh);
  }
  bool has(EndpointId peer) const {
    return std::ranges::binary_search(flows_, peer, {}, &DormantFlow::peer);
  }
  // Takes it out.
  std::optional<DormantFlow> wake(EndpointId peer) {
    const auto place = place_of(peer);
    if (place == flows_.end() || place->peer != peer) return std::nullopt;
    const DormantFlow flow = *place;
    flows_.erase(place);
    return flow;
  }
  std::size_t size() const { return flows_.size(); }
  // `told(peer)` for each whose communicator was not freed.
  template <typename Told>
  void for_each_in_use(const Told& told) const {
    for (const DormantFlow& flow : flows_) {
      if (!flow.released) told(flow.peer);
    }
  }
  // Their communicator was freed.
  void release() {
    for (DormantFlow& flow : flows_) flow.released = true;
  }

 private:
  std::vector<DormantFlow>::iterator place_of(EndpointId peer) {
    return std::ranges::lower_bound(flows_, peer, {}, &DormantFlow::peer);
  }
  std::vector<DormantFlow> flows_;  // by peer
};

}  // namespace quadrille::wire
