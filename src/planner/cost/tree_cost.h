// SPDX-License-Identifier: BSD-3-Clause
// The time of a call that goes along trees: the way of a first piece to the rank that has it last,
// then the other pieces at the pace of the busiest resource. Integers throughout, as cost_of.
//
// The trees are looked at once, O(edges); each size of pieces then takes O(resources).
#pragma once

#include <cstdint>
#include <vector>

#include "network/network_costs.h"
#include "planner/cost/cost.h"
#include "planner/cost/tree_traffic.h"

namespace quadrille {

class TreeCost {
 public:
  // Which of two ways is longer is decided by messages of `usual_bytes` on the wire.
  // REQUIRES: `traffic` is of a call of costs.ranks() ranks. Borrows `costs`.
  TreeCost(const TreeTraffic& traffic, const NetworkCosts& costs, std::uint64_t usual_bytes);

  CostBreakdown of(const TreePieces& pieces) const;

 private:
  // Of one piece of each tree.
  struct Load {
    std::uint64_t messages = 0;
    std::uint64_t connections = 0;  // see BufferOverflow
    std::uint32_t first_host = NetworkCosts::none;
    bool several_hosts = false;
  };
  // The longest way of a piece, from its root or to it.
  struct Way {
    std::uint64_t ps_per_byte = 0;  // waiting for a port that serves others first included
    std::int64_t fixed_ns = 0;      // latencies and the processors' work
    std::int64_t latency_ns = 0;    // of that, latencies

    friend Way operator+(const Way& way, const Way& more) {
      return {way.ps_per_byte + more.ps_per_byte, way.fixed_ns + more.fixed_ns,
              way.latency_ns + more.latency_ns};
    }
    std::int64_t time_ns(std::uint64_t bytes) const {
      return duration_ns(bytes, ps_per_byte) + fixed_ns;
    }
  };
  class Walk;

  std::int64_t losses_ns(std::uint64_t bytes_of_connection) const;

  const NetworkCosts& costs_;
  std::vector<Load> loads_;  // [resources]
  Way way_;                  // up and down in a row
  Way turn_;  // the longest from the first tree's message of a pair of ranks to the last one's
  std::int64_t processor_ns_ = 0;  // of the busiest rank, for a piece of each tree
  std::uint64_t reductions_ = 0;   // of the rank that has most of them
};

}  // namespace quadrille
