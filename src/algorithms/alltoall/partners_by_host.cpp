// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/partners_by_host.h"

#include <algorithm>

namespace quadrille {
namespace {

void append_from(const std::vector<Rank>& ranks, std::size_t first, std::vector<Rank>& into) {
  for (std::size_t i = 0; i < ranks.size(); ++i) into.push_back(ranks[(first + i) % ranks.size()]);
}

// Each of the own host's ranks meets each of `others`; those whose places add up to the same do it
// at the same time.
void append_meetings(const std::vector<Rank>& others, std::size_t own_ranks, std::size_t place,
                     std::vector<Rank>& into) {
  const std::size_t most = std::max(own_ranks, others.size());
  for (std::size_t sum = 0; sum < most; ++sum) {
    const std::size_t other = (sum + most - place) % most;
    if (other < others.size()) into.push_back(others[other]);
  }
}

}  // namespace

std::size_t partner_in_round(std::size_t count, std::size_t own, std::size_t round) {
  // All but the last stand on a circle; who would meet itself meets the last.
  const std::size_t circle = count - 1;
  if (own == circle) return round * (count / 2) % circle;
  const std::size_t partner = (round + circle - own) % circle;
  return partner != own ? partner : circle;
}

std::vector<HostPhase> host_phases(std::size_t hosts, std::size_t host) {
  std::vector<HostPhase> phases;
  for (std::size_t phase = 0; phase + 1 < hosts; ++phase) {
    if (hosts % 2 == 0) {
      const std::size_t partner = partner_in_round(hosts, host, phase);
      phases.push_back({partner, partner});
    } else {
      phases.push_back({(host + hosts - phase - 1) % hosts, (host + phase + 1) % hosts});
    }
  }
  return phases;
}

std::size_t place_on_host(const std::vector<Rank>& own, Rank rank) {
  return static_cast<std::size_t>(std::ranges::lower_bound(own, rank) - own.begin());
}

ExchangePartners partners_by_host(const TopologyView& view, Rank rank) {
  const auto by_host = view.ranks_by_host();
  const std::size_t host = view.host_of_rank[static_cast<std::size_t>(rank)];
  const std::vector<Rank>& own = by_host[host];
  const std::size_t place = place_on_host(own, rank);
  ExchangePartners partners;
  append_from(own, place + 1, partners.on_own_host);
  partners.on_own_host.pop_back();
  for (const HostPhase& phase : host_phases(by_host.size(), host)) {
    if (phase.source == phase.target) {
      append_meetings(by_host[phase.target], own.size(), place, partners.targets);
    } else {
      append_from(by_host[phase.target], place, partners.targets);
      append_from(by_host[phase.source], place, partners.sources);
    }
  }
  if (partners.sources.empty()) partners.sources = partners.targets;
  return partners;
}

}  // namespace quadrille
