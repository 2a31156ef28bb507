// SPDX-License-Identifier: BSD-3-Clause
// Finds the buses: what one host of a bus sends or receives makes all of its hosts wait.
//
// First everybody sends and receives at once, in pairs: a switch carries both ways, on a bus they
// take turns, and all ways of its hosts wait. Then one suspect at a time sends to one host and
// receives from another: more than its bus carries, while no other bus need be full. Whoever waits
// on all ways shares the suspect's bus.
#pragma once

#include <vector>

#include "probe/segments/loaded_view.h"

namespace quadrille::probe {

struct Bus {
  HostSet hosts;
  // 0 to 1: of its tests the share that named the same hosts. Where these agreed at last, one that
  // may have filled another bus too, and named more, says nothing against it.
  double confidence = 0;
};

struct FoundBuses {
  std::vector<Bus> buses;  // disjoint; a host that alone is on a half-duplex cable is a bus of one
  bool all_clear = false;  // with everybody sending and receiving, nobody waited for anybody
};

Result<FoundBuses> find_buses(LoadedViews& views);

// Hosts that reach nobody and are reached by nobody without waiting, while others do reach each
// other, or at all where none does.
HostSet always_waiting(const LoadedViews& views, const LoadedView& view, const HostSet& hosts);

}  // namespace quadrille::probe
