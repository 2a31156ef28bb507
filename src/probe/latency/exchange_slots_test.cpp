// SPDX-License-Identifier: BSD-3-Clause
#include "probe/latency/exchange_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace quadrille::probe {
namespace {

std::vector<HostIndex> hosts_from(HostIndex first, std::size_t count) {
  std::vector<HostIndex> hosts(count);
  std::iota(hosts.begin(), hosts.end(), first);
  return hosts;
}

TEST(ExchangeSlots, a_tournament_has_every_pair_once) {
  for (std::size_t count = 2; count <= 33; ++count) {
    const auto pairs = tournament(hosts_from(5, count));
    std::set<std::set<HostIndex>> seen;
    for (const auto& [a, b] : pairs) {
      EXPECT_NE(a, b);
      EXPECT_GE(std::min(a, b), 5U);
      seen.insert({a, b});
    }
    EXPECT_EQ(pairs.size(), count * (count - 1) / 2);
    EXPECT_EQ(seen.size(), pairs.size());
  }
}

TEST(ExchangeSlots, any_beginning_of_a_tournament_treats_hosts_alike) {
  const auto pairs = tournament(hosts_from(0, 21));
  std::vector<int> partners(21);
  for (const auto& [a, b] : pairs) {
    ++partners[a];
    ++partners[b];
    const auto [least, most] = std::ranges::minmax(partners);
    EXPECT_LE(most - least, 2);
  }
}

TEST(ExchangeSlots, a_tournament_fills_its_slots) {
  const auto pairs = tournament(hosts_from(0, 16));
  EXPECT_EQ(slots_of(pairs, 8).size(), 15U);
  EXPECT_EQ(slots_of(pairs, 100).size(), 15U);
  EXPECT_EQ(slots_of(pairs, 1).size(), 120U);
  EXPECT_EQ(slots_of(pairs, 4).size(), 30U);
}

TEST(ExchangeSlots, no_host_is_in_two_pairs_of_a_slot) {
  std::vector<HostPair> pairs = tournament(hosts_from(0, 12));
  std::mt19937_64 chance(3);
  std::ranges::shuffle(pairs, chance);
  std::size_t kept = 0;
  for (const auto& slot : slots_of(pairs, 5)) {
    std::set<HostIndex> hosts;
    for (const auto& [a, b] : slot) hosts.insert({a, b});
    EXPECT_EQ(hosts.size(), 2 * slot.size());
    EXPECT_LE(slot.size(), 5U);
    kept += slot.size();
  }
  EXPECT_EQ(kept, pairs.size());
}

TEST(ExchangeSlots, sums_up_the_round_trips_of_a_pair_from_either_host) {
  TripTable samples(2);
  samples.at(0, 1).round_trips_ns = {300, 100};
  samples.at(1, 0) = {.round_trips_ns = {200, 1000}, .time_to_live = 63};
  const auto latencies = latencies_of(samples, true);
  for (const auto& latency : {latencies.at(0, 1), latencies.at(1, 0)}) {
    EXPECT_EQ(latency.least_round_trip_ns, 100);
    EXPECT_EQ(latency.mean_ns, 400);
    EXPECT_EQ(latency.median_ns, 300);
    EXPECT_EQ(latency.most_ns, 1000);
    EXPECT_EQ(latency.answered, 4U);
    EXPECT_EQ(latency.time_to_live, 63);
  }
  EXPECT_EQ(latencies_of(samples, false).at(0, 1).mean_ns, 200);
  EXPECT_EQ(latencies.at(0, 0).answered, 0U);
}

}  // namespace
}  // namespace quadrille::probe
