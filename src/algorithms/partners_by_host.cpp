// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/partners_by_host.h"

#include <algorithm>

namespace quadrille {

std::optional<std::size_t> partner_in_round(std::size_t count, std::size_t own, std::size_t round) {
  // All but the last stand on a circle; who would meet itself meets the last, if there is one.
  const std::size_t circle = count % 2 == 0 ? count - 1 : count;
  if (round >= circle) return std::nullopt;
  if (own == circle) return round * ((circle + 1) / 2) % circle;
  const std::size_t partner = (round + circle - own) % circle;
  if (partner != own) return partner;
  return count > circle ? std::optional(circle) : std::nullopt;
}

std::vector<Rank> partners_by_host(const TopologyView& view, Rank rank) {
  const auto by_host = view.ranks_by_host();
  const std::size_t host = view.host_of_rank[static_cast<std::size_t>(rank)];
  const std::vector<Rank>& own = by_host[host];
  const auto place = static_cast<std::size_t>(std::ranges::lower_bound(own, rank) - own.begin());
  std::vector<Rank> partners;
  for (std::size_t round = 0; round < own.size(); ++round) {
    if (const auto met = partner_in_round(own.size(), place, round)) partners.push_back(own[*met]);
  }
  for (std::size_t round = 0; round < by_host.size(); ++round) {
    const auto met = partner_in_round(by_host.size(), host, round);
    if (!met) continue;
    // Each rank of the one with each of the other; places that add up to the same meet.
    const std::vector<Rank>& others = by_host[*met];
    const std::size_t most = std::max(own.size(), others.size());
    for (std::size_t sum = 0; sum < most; ++sum) {
      const std::size_t other = (sum + most - place) % most;
      if (other < others.size()) partners.push_back(others[other]);
    }
  }
  return partners;
}

}  // namespace quadrille
