// SPDX-License-Identifier: BSD-3-Clause
// From a list of trunks to a rooted tree; costs in fixed point, so that sums and comparisons are
// exact.
#include "mapping/network_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/disjoint_sets.h"

namespace quadrille {
namespace {

// Of the slowest carrier's cost. Carriers more than this much faster all cost 1.
constexpr double kUnit = 65536;

struct Link {
  std::uint32_t to = 0;
  double bytes_per_second = 0;  // of the slower direction; 0: not known
};
using Links = std::vector<std::vector<Link>>;

double slower(double one, double other) {
  if (one <= 0 || other <= 0) return std::max(one, other);
  return std::min(one, other);
}

// The lowest node of a component stands for it.
bool join_to_lowest(DisjointSets& components, std::uint32_t one, std::uint32_t other) {
  const auto [lower, higher] =
      std::minmax({components.representative(one), components.representative(other)});
  return components.join(higher, lower);
}

Links links_of(const NetworkRates& network, std::uint32_t segments) {
  const auto nodes = std::max(segments, static_cast<std::uint32_t>(network.segments.size()));
  Links links(nodes);
  DisjointSets components(nodes);
  for (const auto& trunk : network.trunks) {
    if (!join_to_lowest(components, trunk.first, trunk.second)) continue;
    const double rate = slower(trunk.forward_bytes_per_second, trunk.backward_bytes_per_second);
    links[trunk.first].push_back({trunk.second, rate});
    links[trunk.second].push_back({trunk.first, rate});
  }
  std::vector<std::uint32_t> apart;
  for (std::uint32_t node = 0; node < nodes; ++node)
    if (components.representative(node) == node) apart.push_back(node);
  if (apart.size() < 2) return links;
  links.emplace_back();
  for (const std::uint32_t node : apart) {
    links[nodes].push_back({node, 0});
    links[node].push_back({nodes, 0});
  }
  return links;
}

// Trunks from `start` to each node.
std::vector<std::uint32_t> distances_from(std::uint32_t start, const Links& links) {
  constexpr auto unseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distance(links.size(), unseen);
  std::vector<std::uint32_t> reached{start};
  distance[start] = 0;
  for (std::size_t at = 0; at < reached.size(); ++at) {
    for (const Link& link : links[reached[at]]) {
      if (distance[link.to] != unseen) continue;
      distance[link.to] = distance[reached[at]] + 1;
      reached.push_back(link.to);
    }
  }
  return distance;
}

std::uint32_t farthest(const std::vector<std::uint32_t>& distance) {
  return static_cast<std::uint32_t>(std::ranges::max_element(distance) - distance.begin());
}

double slowest_of(const NetworkRates& network) {
  double slowest = 0;
  for (const auto& trunk : network.trunks) {
    slowest =
        slower(slowest, slower(trunk.forward_bytes_per_second, trunk.backward_bytes_per_second));
  }
  for (const auto& segment : network.segments)
    slowest = slower(slowest, segment.bus_bytes_per_second);
  return slowest;
}

std::uint64_t cost_of(double rate, double slowest) {
  if (rate <= 0) return static_cast<std::uint64_t>(kUnit);
  return static_cast<std::uint64_t>(std::max(1.0, std::round(kUnit * slowest / rate)));
}

}  // namespace

NetworkTree::NetworkTree(const NetworkRates& network, std::uint32_t segments) {
  Links links = links_of(network, std::max(segments, 1U));
  nodes_.resize(links.size());
  const double slowest = slowest_of(network);
  const std::uint32_t root = farthest(distances_from(0, links));
  const std::uint32_t end = farthest(distances_from(root, links));
  const std::vector<std::uint32_t> to_end = distances_from(end, links);
  nodes_[root] = {root, 0, 0, 0};
  // The branch towards the other end is pushed first, and so visited last.
  for (auto& of_node : links) {
    std::ranges::stable_sort(of_node, {}, [&](const Link& link) { return to_end[link.to]; });
  }
  for (std::vector<std::uint32_t> open{root}; !open.empty();) {
    const std::uint32_t node = open.back();
    open.pop_back();
    walk_.push_back(node);
    for (const Link& link : links[node]) {
      if (node != root && link.to == nodes_[node].parent) continue;
      nodes_[link.to] = {node, nodes_[node].depth + 1, 0, cost_of(link.bytes_per_second, slowest)};
      open.push_back(link.to);
    }
  }
  for (std::uint32_t node = 0; node < network.segments.size(); ++node) {
    const double rate = network.segments[node].bus_bytes_per_second;
    if (rate > 0) nodes_[node].bus_cost = 2 * cost_of(rate, slowest);
  }
}

}  // namespace quadrille
