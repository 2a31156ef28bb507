// SPDX-License-Identifier: BSD-3-Clause
// Finds the segments: sets of hosts with nothing shared between them and each other but a switch or
// a bus.
//
// All hosts send at once, in changing pairs; views of the loaded network suggest sets of hosts that
// share something; a test of each set alone proves it and names its hosts exactly. In the end each
// part that is left is loaded as a whole, which shows what parts it inside. The segments are what
// all proven sets leave together.
#pragma once

#include <vector>

#include "probe/segments/loaded_view.h"
#include "probe/trunks/cut.h"

namespace quadrille::probe {

struct Partition {
  std::vector<HostSet> segments;  // ascending by first host
  std::vector<HostSet> proven;    // sets of hosts behind something that was filled, each once
  double confidence = 0;          // that the partition is right, 0 to 1
};

// What is known before anything is loaded.
struct PartitionHints {
  std::vector<HostSet> buses;         // disjoint sets that are known to be segments
  std::vector<HostSet> apart;         // sets of hosts that may belong together, tried first
  std::vector<HostIndex> near_first;  // all hosts, near ones together; nothing where unknown
  bool was_clear = false;             // all have been loaded once, and nothing held them up
};

// Hints but the buses may be wrong.
Result<Partition> find_segments(LoadedViews& views, const PartitionHints& hints);

}  // namespace quadrille::probe
