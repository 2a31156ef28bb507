// SPDX-License-Identifier: BSD-3-Clause
// Candidates, their costs, the best two bettered.
#include "mapping/rank_mapping.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "mapping/bisection.h"
#include "mapping/grid_orders.h"
#include "mapping/refinement.h"

namespace quadrille {
namespace {

using Hosts = std::vector<std::uint32_t>;  // [new ranks]

// The old ranks' hosts along the network's walk: segment by segment, host by host.
Hosts hosts_along_walk(const TopologyView& places, const NetworkTree& tree) {
  std::vector<std::uint32_t> step_of(tree.size());
  for (std::uint32_t step = 0; step < tree.size(); ++step) step_of[tree.walk()[step]] = step;
  Hosts hosts = places.host_of_rank;
  std::ranges::sort(hosts, {}, [&](std::uint32_t host) {
    return std::pair(step_of[places.segment_of_host[host]], host);
  });
  return hosts;
}

// How many ranks fit: the different sizes, each once, largest first, no more than a few.
std::vector<Rank> sizes_of(const std::vector<std::uint32_t>& member_of, std::size_t groups) {
  std::vector<Rank> members(groups, 0);
  for (const std::uint32_t group : member_of) ++members[group];
  const std::set<Rank, std::greater<>> sizes(members.begin(), members.end());
  constexpr std::size_t most = 4;
  std::vector<Rank> found;
  for (const Rank size : sizes)
    if (size > 1 && found.size() < most) found.push_back(size);
  return found;
}

std::vector<Hosts> candidates(const CommunicationGraph& graph, const std::optional<Grid>& grid,
                              const TopologyView& places, const NetworkTree& tree) {
  const Hosts walk = hosts_along_walk(places, tree);
  std::vector<Hosts> found{walk, bisected(graph, places, tree)};
  if (!grid) return found;
  Hosts segments;
  for (const std::uint32_t host : places.host_of_rank)
    segments.push_back(places.segment_of_host[host]);
  // Each order takes time in proportion to its cells: fewer of the large ones.
  const std::size_t most = std::clamp<std::size_t>(200'000 / places.host_of_rank.size(), 8, 256);
  for (const auto& order : grid_orders(*grid, sizes_of(segments, tree.size()),
                                       sizes_of(places.host_of_rank, places.hosts()), most)) {
    Hosts hosts = walk;  // ranks beyond the grid stay on the last hosts of the walk
    for (std::size_t at = 0; at < order.size(); ++at)
      hosts[static_cast<std::size_t>(order[at])] = walk[at];
    found.push_back(std::move(hosts));
  }
  return found;
}

// Steps along edges; 1000 ranks get about 30 ms on a core of 2020.
Effort effort_for(const CommunicationGraph& graph) {
  constexpr std::uint64_t least = 200'000;
  constexpr std::uint64_t most = 4'000'000;
  return {std::min(least + 2000 * static_cast<std::uint64_t>(graph.ranks()), most)};
}

// Whoever can keeps its rank; the others of a host follow in order.
std::vector<Rank> old_ranks_on(const Hosts& host_of, const TopologyView& places) {
  std::vector<std::vector<Rank>> waiting(places.hosts());
  const auto ranks = static_cast<Rank>(host_of.size());
  std::vector<Rank> old_rank(host_of.size(), -1);
  for (Rank rank = ranks; rank-- > 0;) {
    const auto at = static_cast<std::size_t>(rank);
    if (host_of[at] == places.host_of_rank[at]) {
      old_rank[at] = rank;
    } else {
      waiting[places.host_of_rank[at]].push_back(rank);
    }
  }
  for (std::size_t at = 0; at < host_of.size(); ++at) {
    if (old_rank[at] >= 0) continue;
    old_rank[at] = waiting[host_of[at]].back();
    waiting[host_of[at]].pop_back();
  }
  return old_rank;
}

}  // namespace

bool order_matters(const TopologyView& places) {
  const bool one_segment =
      std::ranges::adjacent_find(places.segment_of_host, std::not_equal_to<>()) ==
      places.segment_of_host.end();
  return places.hosts() > 1 && !(one_segment && places.hosts() == places.host_of_rank.size());
}

RankMapping map_ranks(const CommunicationGraph& graph, const std::optional<Grid>& grid,
                      const TopologyView& places, const NetworkTree& tree) {
  Placement best(graph, places, tree, places.host_of_rank);
  RankMapping mapping{std::vector<Rank>(places.host_of_rank.size()), best.cost(), best.cost()};
  std::iota(mapping.old_rank.begin(), mapping.old_rank.end(), 0);
  if (!order_matters(places) || graph.edges() == 0) return mapping;

  std::vector<std::pair<TrafficCost, Hosts>> found{{mapping.before, places.host_of_rank}};
  for (Hosts& hosts : candidates(graph, grid, places, tree)) {
    const TrafficCost cost = Placement(graph, places, tree, hosts).cost();
    found.emplace_back(cost, std::move(hosts));
  }
  std::ranges::stable_sort(found, {}, [](const auto& candidate) { return candidate.first; });
  constexpr std::size_t bettered = 2;
  Effort effort = effort_for(graph);
  TrafficCost least = mapping.before;
  for (std::size_t i = 0; i < std::min(bettered, found.size()); ++i) {
    Placement placement(graph, places, tree, std::move(found[i].second));
    Effort part{effort.left / (bettered + 1 - i)};
    const std::uint64_t given = part.left;
    refine(placement, graph, part);
    effort.left -= given - part.left;
    if (placement.cost() < least) {
      least = placement.cost();
      best = Placement(graph, places, tree, placement.host_of());
    }
  }
  refine_by_lot(best, graph, effort);
  if (best.cost() < mapping.before) {
    mapping.after = best.cost();
    mapping.old_rank = old_ranks_on(best.host_of(), places);
  }
  return mapping;
}

}  // namespace quadrille
