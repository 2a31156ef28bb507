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

// The hosts of each segment, ascending; empty where the segments are not alike, or are one.
std::vector<std::vector<std::size_t>> equal_segments(const TopologyView& view) {
  std::vector<std::vector<std::size_t>> segments;
  for (std::size_t host = 0; host < view.segment_of_host.size(); ++host) {
    const std::size_t segment = view.segment_of_host[host];
    if (view.is_bus(view.segment_of_host[host])) return {};
    if (segment >= segments.size()) segments.resize(segment + 1);
    segments[segment].push_back(host);
  }
  std::erase_if(segments, [](const auto& hosts) { return hosts.empty(); });
  const bool are_alike = std::ranges::all_of(
      segments, [&](const auto& hosts) { return hosts.size() == segments.front().size(); });
  if (segments.size() < 2 || !are_alike) return {};
  return segments;
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

std::vector<HostPhase> host_phases(const TopologyView& view, std::size_t host) {
  const auto segments = equal_segments(view);
  if (segments.empty()) return host_phases(view.segment_of_host.size(), host);
  const auto own = std::ranges::find_if(
      segments, [&](const auto& hosts) { return std::ranges::binary_search(hosts, host); });
  const auto number = static_cast<std::size_t>(own - segments.begin());
  const auto place = static_cast<std::size_t>(std::ranges::lower_bound(*own, host) - own->begin());
  const std::size_t each = own->size();
  // What stays at a switch comes in between: trunks go on with what still waits for them.
  const std::vector<HostPhase> inside = host_phases(each, place);
  const std::size_t outside = (segments.size() - 1) * each;
  std::size_t next_inside = 0;
  std::vector<HostPhase> phases;
  for (const HostPhase& meeting : host_phases(segments.size(), number)) {
    for (std::size_t shift = 0; shift < each; ++shift) {
      // Of two that meet, the lower one's hosts count upwards. In a ring all do.
      const bool is_ring = meeting.source != meeting.target;
      const std::size_t above = (place + shift) % each;
      const std::size_t below = (place + each - shift) % each;
      const bool upwards = is_ring || number < meeting.target;
      phases.push_back({segments[meeting.source][upwards && !is_ring ? above : below],
                        segments[meeting.target][upwards ? above : below]});
      for (; next_inside * outside < inside.size() * (phases.size() - next_inside); ++next_inside)
        phases.push_back({(*own)[inside[next_inside].source], (*own)[inside[next_inside].target]});
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
  for (const HostPhase& phase : host_phases(view, host)) {
    if (phase.source == phase.target) {
      append_meetings(by_host[phase.target], own.size(), place, partners.targets);
      append_meetings(by_host[phase.source], own.size(), place, partners.sources);
    } else {
      append_from(by_host[phase.target], place, partners.targets);
      append_from(by_host[phase.source], place, partners.sources);
    }
  }
  return partners;
}

}  // namespace quadrille
