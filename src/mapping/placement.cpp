// SPDX-License-Identifier: BSD-3-Clause
// An exchange between hosts loads each bus it starts, ends or passes on, and each trunk on its way.
#include "mapping/placement.h"

#include <algorithm>
#include <utility>

namespace quadrille {

std::uint64_t load_percent(const TrafficCost& cost, const TrafficCost& before) {
  if (before.load == 0) return 100;
  // Loads are below 2^57, as weights are below 2^40 together and carriers' costs below 2^17.
  return cost.load / before.load * 100 + cost.load % before.load * 100 / before.load;
}

Placement::Placement(const CommunicationGraph& graph, const TopologyView& hosts,
                     const NetworkTree& tree, std::vector<std::uint32_t> host_of)
    : graph_(&graph),
      hosts_(&hosts),
      tree_(&tree),
      host_of_(std::move(host_of)),
      bus_load_(tree.size(), 0),
      trunk_load_(tree.size(), 0) {
  for (Rank rank = 0; rank < graph_->ranks(); ++rank) {
    for (const auto& neighbour : graph_->neighbours(rank)) {
      if (neighbour.rank < rank)
        count(host_of_[static_cast<std::size_t>(rank)],
              host_of_[static_cast<std::size_t>(neighbour.rank)], neighbour.weight);
    }
  }
}

TrafficCost Placement::cost() const {
  TrafficCost cost = crossings_;
  for (const std::uint64_t load : bus_load_) cost.load = std::max(cost.load, load);
  for (const std::uint64_t load : trunk_load_) cost.load = std::max(cost.load, load);
  return cost;
}

std::uint64_t Placement::effort(Rank one, Rank other) const {
  const std::uint64_t edges = graph_->neighbours(one).size() + graph_->neighbours(other).size();
  return 2 * edges +
         tree_->size() / 4;  // a carrier's share of the maximum takes an eighth of a step
}

void Placement::swap(Rank one, Rank other) {
  if (host_of(one) == host_of(other)) return;
  // What both exchange with each other stays where it is.
  count_edges_of(one, other, false);
  count_edges_of(other, one, false);
  std::swap(host_of_[static_cast<std::size_t>(one)], host_of_[static_cast<std::size_t>(other)]);
  count_edges_of(one, other, true);
  count_edges_of(other, one, true);
}

void Placement::count_edges_of(Rank rank, Rank except, bool add) {
  const std::uint32_t host = host_of(rank);
  for (const auto& neighbour : graph_->neighbours(rank)) {
    if (neighbour.rank == except) continue;
    // Taking off is adding the negation, modulo 2^64.
    count(host, host_of(neighbour.rank), add ? neighbour.weight : 0 - neighbour.weight);
  }
}

void Placement::count(std::uint32_t one, std::uint32_t other, std::uint64_t weight) {
  if (one == other) return;
  crossings_.host_crossings += weight;
  std::uint32_t here = hosts_->segment_of_host[one];
  std::uint32_t there = hosts_->segment_of_host[other];
  bus_load_[here] += weight * (*tree_)[here].bus_cost;
  if (here == there) return;
  crossings_.segment_crossings += weight;
  bus_load_[there] += weight * (*tree_)[there].bus_cost;
  while (here != there) {
    if ((*tree_)[here].depth < (*tree_)[there].depth) std::swap(here, there);
    trunk_load_[here] += weight * (*tree_)[here].trunk_cost;
    crossings_.trunk_crossings += weight;
    here = (*tree_)[here].parent;
    // A bus on the way, between two trunks: not the other end, which is counted already.
    if (here != there) bus_load_[here] += weight * (*tree_)[here].bus_cost;
  }
}

}  // namespace quadrille
