// SPDX-License-Identifier: BSD-3-Clause
// Gaps in the sorted round trips, and what stands on either side of them.
#include "probe/latency/delay_classes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string>

namespace quadrille::probe {
namespace {

constexpr std::int64_t kFarRoundTripNs = 2'000'000;
// Of each two groups, so that one wrong value does not decide.
constexpr std::size_t kLeastPairsAcross = 2;

bool farther(std::int64_t round_trip_ns, std::int64_t than_ns) {
  return static_cast<double>(round_trip_ns) >= kDistanceRatio * static_cast<double>(than_ns) &&
         round_trip_ns - than_ns >= kDistanceRoundTripNs;
}

// A measured pair, as positions in the list of hosts.
struct Distance {
  std::size_t a;
  std::size_t b;
  std::int64_t round_trip_ns;
};

std::vector<Distance> sorted_distances(const PairTable<PairLatency>& small,
                                       const std::vector<HostIndex>& hosts) {
  std::vector<Distance> distances;
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    for (std::size_t b = a + 1; b < hosts.size(); ++b) {
      const auto there = small.at(hosts[a], hosts[b]).least_round_trip_ns;
      const auto back = small.at(hosts[b], hosts[a]).least_round_trip_ns;
      const auto least = there > 0 && back > 0 ? std::min(there, back) : std::max(there, back);
      if (least > 0) distances.push_back({a, b, least});
    }
  }
  std::ranges::sort(distances, {}, &Distance::round_trip_ns);
  return distances;
}

// Groups joined by the first `near` of the sorted distances.
std::vector<std::uint32_t> groups_within(const std::vector<Distance>& distances, std::size_t near,
                                         std::size_t hosts) {
  std::vector<std::uint32_t> group(hosts);
  std::iota(group.begin(), group.end(), 0U);
  for (std::size_t i = 0; i < near; ++i) {
    const auto joined = group[distances[i].b];
    const auto kept = group[distances[i].a];
    if (joined != kept) std::ranges::replace(group, joined, kept);
  }
  std::map<std::uint32_t, std::uint32_t> number;
  for (auto& one : group) {
    one = number.try_emplace(one, static_cast<std::uint32_t>(number.size())).first->second;
  }
  return group;
}

// Whether what lies beyond the first `near` distances is across groups but for gross outliers, and
// every two groups have been seen to be apart.
bool holds(const std::vector<Distance>& distances, std::size_t near,
           const std::vector<std::uint32_t>& group) {
  const std::size_t groups = std::ranges::max(group) + std::size_t{1};
  if (groups < 2) return false;
  std::vector<std::size_t> size(groups);
  for (const auto one : group) ++size[one];
  if (std::ranges::min(size) < 2) return false;
  std::vector<std::size_t> inside(groups);
  std::vector<std::size_t> gross(groups);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> across;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const auto [first, second] = std::minmax(group[distances[i].a], group[distances[i].b]);
    if (first != second) {
      ++across[{first, second}];
    } else {
      ++inside[first];
      if (i >= near) ++gross[first];
    }
  }
  if (across.size() < groups * (groups - 1) / 2) return false;
  if (std::ranges::any_of(across,
                          [](const auto& pairs) { return pairs.second < kLeastPairsAcross; })) {
    return false;
  }
  const auto all_inside = std::accumulate(inside.begin(), inside.end(), std::size_t{0});
  const auto all_gross = std::accumulate(gross.begin(), gross.end(), std::size_t{0});
  if (static_cast<double>(all_gross) > kGrossShare * static_cast<double>(all_inside)) return false;
  // A small group may have drawn more than its share of them, not most.
  for (std::size_t one = 0; one < groups; ++one) {
    if (3 * gross[one] > inside[one]) return false;
  }
  return true;
}

enum Name : std::uint8_t { kSameSwitch, kBridged, kRouted, kFar };
constexpr std::array kNames{"same switch", "bridged", "routed", "far"};

Name name_of_pair(const PairLatency& latency, bool same_segment) {
  if (latency.least_round_trip_ns >= kFarRoundTripNs && !same_segment) return kFar;
  if (routers_passed(latency.time_to_live) > 0) return kRouted;
  return same_segment ? kSameSwitch : kBridged;
}

// One way, of sorted round trips: the middle, and where nine of ten lie.
DelayClass class_of(Name name, const std::vector<std::int64_t>& trips, std::size_t begin,
                    std::size_t end) {
  const std::size_t count = end - begin;
  const auto at = [&](std::size_t twentieths) {
    return static_cast<double>(trips[begin + (count - 1) * twentieths / 20]) / 2;
  };
  return {kNames[name], count, Measured{at(10), at(1), at(19)}};
}

// Splits sorted round trips at each gap that has more than gross outliers on both sides.
void add_classes(Name name, const std::vector<std::int64_t>& trips,
                 std::vector<DelayClass>& classes) {
  const std::size_t least = std::max<std::size_t>(
      2, 1 + static_cast<std::size_t>(kGrossShare * static_cast<double>(trips.size())));
  std::size_t begin = 0;
  for (std::size_t next = least; next + least <= trips.size(); ++next) {
    if (next - begin < least || !farther(trips[next], trips[next - 1])) continue;
    classes.push_back(class_of(name, trips, begin, next));
    begin = next;
  }
  classes.push_back(class_of(name, trips, begin, trips.size()));
}

}  // namespace

std::optional<std::vector<std::uint32_t>> latency_partition(const PairTable<PairLatency>& small,
                                                            const std::vector<HostIndex>& hosts) {
  const auto distances = sorted_distances(small, hosts);
  for (std::size_t near = 1; near < distances.size(); ++near) {
    if (!farther(distances[near].round_trip_ns, distances[near - 1].round_trip_ns)) continue;
    auto group = groups_within(distances, near, hosts.size());
    if (holds(distances, near, group)) return group;
  }
  return std::nullopt;
}

std::vector<HostIndex> ordered_by_distance(const PairTable<PairLatency>& small,
                                           std::vector<HostIndex> hosts) {
  const auto distance_ns = [&](HostIndex from, HostIndex to) {
    const std::int64_t known = small.at(from, to).least_round_trip_ns;
    return known > 0 ? known : std::numeric_limits<std::int64_t>::max();
  };
  for (auto next = hosts.begin(); next != hosts.end(); ++next) {
    if (next == hosts.begin()) continue;
    const HostIndex last = *std::prev(next);
    std::iter_swap(next, std::ranges::min_element(next, hosts.end(), {}, [&](HostIndex host) {
                     return distance_ns(last, host);
                   }));
  }
  return hosts;
}

std::vector<DelayClass> delay_classes(const PairTable<PairLatency>& small,
                                      const std::vector<HostIndex>& hosts,
                                      const std::vector<std::uint32_t>& segment_of) {
  std::map<Name, std::vector<std::int64_t>> trips;
  for (const Distance& distance : sorted_distances(small, hosts)) {
    const auto name = name_of_pair(small.at(hosts[distance.a], hosts[distance.b]),
                                   segment_of[distance.a] == segment_of[distance.b]);
    trips[name].push_back(distance.round_trip_ns);
  }
  std::vector<DelayClass> classes;
  for (const auto& [name, of_name] : trips) add_classes(name, of_name, classes);
  return classes;
}

std::uint32_t routers_passed(std::uint8_t time_to_live) {
  if (time_to_live == 0) return 0;
  for (const std::uint32_t begun : {64U, 128U, 255U}) {
    if (time_to_live <= begun) return begun - time_to_live;
  }
  return 0;
}

}  // namespace quadrille::probe
