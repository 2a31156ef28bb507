// SPDX-License-Identifier: BSD-3-Clause
// Ranks on hosts, and what their exchanges cost the network there; kept up to date while two ranks
// at a time change places. Integers only.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "mapping/communication_graph.h"
#include "mapping/network_tree.h"
#include "network/topology_view.h"

namespace quadrille {

// Of two costs the one with the lower load is better; of equal loads the one with fewer crossings
// of segments, then of trunks, then of hosts. Crossings are weighted.
struct TrafficCost {
  std::uint64_t load = 0;  // of the busiest trunk or bus: weight times the carrier's cost
  std::uint64_t segment_crossings = 0;
  std::uint64_t trunk_crossings = 0;
  std::uint64_t host_crossings = 0;

  auto operator<=>(const TrafficCost&) const = default;
};

// Of the load of `before`, rounded down; 100 where that has none.
std::uint64_t load_percent(const TrafficCost& cost, const TrafficCost& before);

class Placement {
 public:
  // REQUIRES: host_of has one host of `hosts` for each rank of `graph`; every segment of a host is
  // a node of `tree`. All three outlive the placement.
  Placement(const CommunicationGraph& graph, const TopologyView& hosts, const NetworkTree& tree,
            std::vector<std::uint32_t> host_of);

  const std::vector<std::uint32_t>& host_of() const { return host_of_; }
  std::uint32_t host_of(Rank rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  std::uint32_t segment_of(Rank rank) const { return hosts_->segment_of_host[host_of(rank)]; }
  TrafficCost cost() const;

  // Exchanges the hosts of two ranks; the same again undoes it.
  void swap(Rank one, Rank other);

  // What a swap() and a cost() take, in steps along edges, about.
  std::uint64_t effort(Rank one, Rank other) const;

 private:
  void count_edges_of(Rank rank, Rank except, bool add);
  void count(std::uint32_t one, std::uint32_t other, std::uint64_t weight);

  const CommunicationGraph* graph_;
  const TopologyView* hosts_;
  const NetworkTree* tree_;
  std::vector<std::uint32_t> host_of_;  // [ranks]
  // What each carrier carries, times its cost. Sums wrap around between taking off and putting on.
  std::vector<std::uint64_t> bus_load_;    // [nodes]
  std::vector<std::uint64_t> trunk_load_;  // [nodes], of the trunk to the parent
  TrafficCost crossings_;                  // without the load
};

}  // namespace quadrille
