// SPDX-License-Identifier: BSD-3-Clause
// Figure 2 of the paper, line by line; the subnets' merging is a union of disjoint sets.
#include "probe/latency/eco_partition.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/disjoint_sets.h"

namespace quadrille::probe {
namespace {

constexpr double kNoEdge = std::numeric_limits<double>::infinity();

struct Edge {
  double cost;
  HostIndex a;
  HostIndex b;
};

std::vector<Edge> sorted_edges(const PairTable<double>& cost) {
  std::vector<Edge> edges;
  for (HostIndex a = 0; a < cost.hosts(); ++a) {
    for (HostIndex b = a + 1; b < cost.hosts(); ++b) {
      const double there = cost.at(a, b) > 0 ? cost.at(a, b) : kNoEdge;
      const double back = cost.at(b, a) > 0 ? cost.at(b, a) : kNoEdge;
      if (std::min(there, back) < kNoEdge) edges.push_back({std::min(there, back), a, b});
    }
  }
  std::ranges::sort(edges, {},
                    [](const Edge& edge) { return std::tuple(edge.cost, edge.a, edge.b); });
  return edges;
}

class Subnets {
 public:
  explicit Subnets(std::size_t hosts) : hosts_(hosts), min_edge_(hosts, kNoEdge) {}
  std::size_t of(HostIndex host) { return hosts_.representative(host); }
  // Infinite while the host is in no subnet yet: then the figure does not ask for it.
  double min_edge(HostIndex host) { return min_edge_[of(host)]; }
  void merge(const Edge& edge) {
    const double least = std::min({edge.cost, min_edge(edge.a), min_edge(edge.b)});
    hosts_.join(edge.b, edge.a);
    min_edge_[of(edge.a)] = least;
  }

 private:
  DisjointSets hosts_;
  std::vector<double> min_edge_;  // by a subnet's representative
};

}  // namespace

std::vector<std::uint32_t> eco_partition(const PairTable<double>& cost, double cutoff) {
  const auto edges = sorted_edges(cost);
  std::vector<double> min_edge(cost.hosts(), kNoEdge);
  for (const Edge& edge : edges) {
    min_edge[edge.a] = std::min(min_edge[edge.a], edge.cost);
    min_edge[edge.b] = std::min(min_edge[edge.b], edge.cost);
  }
  Subnets subnets(cost.hosts());
  for (const Edge& edge : edges) {
    if (subnets.of(edge.a) == subnets.of(edge.b)) continue;
    if (edge.cost > cutoff * min_edge[edge.a] || edge.cost > cutoff * min_edge[edge.b]) continue;
    if (edge.cost > cutoff * subnets.min_edge(edge.a)) continue;
    if (edge.cost > cutoff * subnets.min_edge(edge.b)) continue;
    subnets.merge(edge);
  }
  constexpr std::uint32_t not_numbered = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(cost.hosts(), not_numbered);
  std::vector<std::uint32_t> subnet_of(cost.hosts());
  std::uint32_t next = 0;
  for (HostIndex host = 0; host < cost.hosts(); ++host) {
    std::uint32_t& subnet = number[subnets.of(host)];
    if (subnet == not_numbered) subnet = next++;
    subnet_of[host] = subnet;
  }
  return subnet_of;
}

}  // namespace quadrille::probe
