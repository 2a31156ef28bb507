// SPDX-License-Identifier: BSD-3-Clause
// Greedy graph growing (G. Karypis and V. Kumar, SIAM J. Sci. Comput. 20:359, 1998,
// doi:10.1137/S1064827595287997, section 3.2): a part begins at a rank with little to say to the
// rest and takes in, one after the other, whoever talks most to it and least to those outside.
#include "mapping/bisection.h"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

namespace quadrille {
namespace {

class Division {
 public:
  Division(const CommunicationGraph& graph, const TopologyView& places, const NetworkTree& tree)
      : graph_(graph),
        tree_(tree),
        segment_of_host_(places.segment_of_host),
        places_of_host_(places.segment_of_host.size(), 0),
        places_below_(tree.size(), 0),
        hosts_in_(tree.size()),
        branches_(tree.size()),
        host_of_(places.host_of_rank.size(), 0),
        part_of_(places.host_of_rank.size(), 0),
        gain_(places.host_of_rank.size(), 0) {
    for (const std::uint32_t host : places.host_of_rank) ++places_of_host_[host];
    for (std::uint32_t host = 0; host < places_of_host_.size(); ++host) {
      hosts_in_[segment_of_host_[host]].push_back(host);
      places_below_[segment_of_host_[host]] += places_of_host_[host];
    }
    const auto& walk = tree.walk();
    for (std::size_t at = walk.size(); at-- > 1;) {
      branches_[tree[walk[at]].parent].push_back(walk[at]);
      places_below_[tree[walk[at]].parent] += places_below_[walk[at]];
    }
  }

  std::vector<std::uint32_t> run() {
    std::vector<Rank> all(host_of_.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = static_cast<Rank>(rank);
    std::vector<std::pair<std::uint32_t, std::vector<Rank>>> open;
    open.emplace_back(tree_.root(), std::move(all));
    while (!open.empty()) {
      auto [node, ranks] = std::move(open.back());
      open.pop_back();
      for (const std::uint32_t branch : branches_[node]) {
        if (places_below_[branch] > 0)
          open.emplace_back(branch, taken(ranks, places_below_[branch]));
      }
      for (const std::uint32_t host : hosts_in_[node]) {
        for (const Rank rank : taken(ranks, places_of_host_[host]))
          host_of_[static_cast<std::size_t>(rank)] = host;
      }
    }
    return std::move(host_of_);
  }

 private:
  using Candidate = std::tuple<std::int64_t, Rank>;  // gain, negated rank: ties to the lowest

  // Takes `size` ranks out of `from`.
  std::vector<Rank> taken(std::vector<Rank>& from, std::size_t size) {
    if (size == from.size()) return std::exchange(from, {});
    ++part_;
    for (const Rank rank : from) part_of_[static_cast<std::size_t>(rank)] = part_;
    std::priority_queue<Candidate> open;
    for (const Rank rank : from) {
      std::int64_t& gain = gain_[static_cast<std::size_t>(rank)];
      gain = 0;
      for (const auto& neighbour : graph_.neighbours(rank)) {
        if (part_of_[static_cast<std::size_t>(neighbour.rank)] == part_)
          gain -= static_cast<std::int64_t>(neighbour.weight);
      }
      open.emplace(gain, -rank);
    }
    std::vector<Rank> part;
    while (part.size() < size) {
      const auto [gain, negated] = open.top();
      open.pop();
      const Rank rank = -negated;
      if (part_of_[static_cast<std::size_t>(rank)] != part_ ||
          gain != gain_[static_cast<std::size_t>(rank)])
        continue;  // taken already, or an older entry
      take(rank, part, open);
    }
    std::erase_if(from,
                  [&](Rank rank) { return part_of_[static_cast<std::size_t>(rank)] != part_; });
    return part;
  }

  void take(Rank rank, std::vector<Rank>& part, std::priority_queue<Candidate>& open) {
    part.push_back(rank);
    part_of_[static_cast<std::size_t>(rank)] = 0;
    for (const auto& neighbour : graph_.neighbours(rank)) {
      const auto at = static_cast<std::size_t>(neighbour.rank);
      if (part_of_[at] != part_) continue;
      gain_[at] += 2 * static_cast<std::int64_t>(neighbour.weight);  // was outside, is inside
      open.emplace(gain_[at], -neighbour.rank);
    }
  }

  const CommunicationGraph& graph_;
  const NetworkTree& tree_;
  const std::vector<std::uint32_t>& segment_of_host_;
  std::vector<std::uint32_t> places_of_host_;
  std::vector<std::size_t> places_below_;             // [nodes]
  std::vector<std::vector<std::uint32_t>> hosts_in_;  // [nodes]
  std::vector<std::vector<std::uint32_t>> branches_;  // [nodes]
  std::vector<std::uint32_t> host_of_;                // [ranks]
  std::vector<std::uint32_t> part_of_;  // [ranks], the number of the division it waits in
  std::vector<std::int64_t> gain_;      // [ranks]
  std::uint32_t part_ = 0;
};

}  // namespace

std::vector<std::uint32_t> bisected(const CommunicationGraph& graph, const TopologyView& places,
                                    const NetworkTree& tree) {
  return Division(graph, places, tree).run();
}

}  // namespace quadrille
