// SPDX-License-Identifier: BSD-3-Clause
// The segments of a view in an order and as a tree, so that data that follow either cross each
// trunk at most once in each direction.
//
// The order is that of a walk along the trunks that begins at an outermost segment and goes into
// smaller branches first. The tree has an edge between segments that follow each other along
// trunks; where branches meet in a junction, the first segments of the branches form a chain, so
// that the trunk of none of them carries the same data to several others.
//
//   buses of 3, 3 and 2 hosts at one junction:  A - C - B: the ends have the most hosts, for the
//   load of a bus is its number of hosts plus its edges.
#pragma once

#include <cstdint>
#include <vector>

#include "network/topology_view.h"

namespace quadrille {

struct SegmentLayout {
  std::vector<std::uint32_t> segments;        // those with hosts, by their place in the order
  std::vector<std::vector<Rank>> neighbours;  // in the tree, by place in the order
};

// `permutation` 0: smaller branches first; others: the k-th permutation of that preference.
SegmentLayout lay_out_segments(const TopologyView& view, std::uint64_t permutation);

}  // namespace quadrille
