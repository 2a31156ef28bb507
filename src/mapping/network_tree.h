// SPDX-License-Identifier: BSD-3-Clause
// The network as traffic meets it: segments and junctions as the nodes of a tree, trunks as its
// edges. What carries traffic - a trunk, or a bus - has a cost: the time of one unit of weight on
// it, relative to that on the network's slowest carrier. Immutable.
//
// A trunk carries the two directions of an exchange at once, a bus one after the other. A rate that
// is not known counts as the slowest that is; where none is known all carriers are alike.
#pragma once

#include <cstdint>
#include <vector>

#include "network/bounds.h"

namespace quadrille {

class NetworkTree {
 public:
  struct Node {
    std::uint32_t parent = 0;      // the root's is itself
    std::uint32_t depth = 0;       // trunks to the root
    std::uint64_t bus_cost = 0;    // 0: not a bus
    std::uint64_t trunk_cost = 0;  // of the trunk to the parent
  };

  // The first nodes are the network's segments, in their order. Where trunks do not join all of
  // them - `network` may be empty: nothing is known but that there are `segments` - they are
  // thought to meet in one junction, by trunks of unknown rates.
  // REQUIRES: trunks between network.segments.
  NetworkTree(const NetworkRates& network, std::uint32_t segments);

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }
  std::uint32_t root() const { return walk_.front(); }

  // Every node before those below it. It begins at one end of the longest way through the tree and
  // leaves the other end for last: neighbours of a chain of ranks laid out along the walk cross
  // each trunk at most twice, and those of the longest way once.
  const std::vector<std::uint32_t>& walk() const { return walk_; }

 private:
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> walk_;
};

}  // namespace quadrille
