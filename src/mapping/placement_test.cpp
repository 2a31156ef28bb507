// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/placement.h"

#include <gtest/gtest.h>

#include <random>

#include "mapping/mapping_case.h"

namespace quadrille {
namespace {

TEST(Placement, an_exchange_between_buses_loads_both_and_one_within_loads_one) {
  const auto network = buses_around_a_bridge(2, 1e6);
  const NetworkTree tree(network, 2);
  const auto places = hosts_in({0, 0, 1}, {1, 1, 1});
  const CommunicationGraph graph(3, {{0, 1, 10}, {1, 2, 3}});
  const Placement placement(graph, places, tree, places.host_of_rank);
  const auto cost = placement.cost();
  EXPECT_EQ(cost.load, 13U * 2 * 65536) << "bus 0 carries both exchanges";
  EXPECT_EQ(cost.segment_crossings, 3U);
  EXPECT_EQ(cost.trunk_crossings, 6U);
  EXPECT_EQ(cost.host_crossings, 13U);
}

TEST(Placement, a_bus_between_two_trunks_carries_what_passes) {
  NetworkRates network;
  network.segments = {{"a", 0}, {"bus", 1e6}, {"c", 0}};
  network.trunks = {{"ab", 0, 1, 1e9, 1e9}, {"bc", 1, 2, 1e9, 1e9}};
  const NetworkTree tree(network, 3);
  const auto places = hosts_in({0, 2}, {1, 1});
  const CommunicationGraph graph(2, {{0, 1, 5}});
  EXPECT_EQ(Placement(graph, places, tree, places.host_of_rank).cost().load, 5U * 2 * 65536);
}

TEST(Placement, ranks_of_one_host_exchange_for_nothing) {
  const NetworkTree tree({}, 1);
  const auto places = hosts_in({0}, {3});
  const CommunicationGraph graph(3, ring_of(3));
  EXPECT_EQ(Placement(graph, places, tree, places.host_of_rank).cost(), TrafficCost{});
}

TEST(Placement, percents_are_exact_for_small_loads_too) {
  const auto percent = [](std::uint64_t load, std::uint64_t before) {
    return load_percent({.load = load}, {.load = before});
  };
  EXPECT_EQ(percent(524, 524), 100U);
  EXPECT_EQ(percent(30, 50), 60U);
  EXPECT_EQ(percent(2, 3), 66U);
  EXPECT_EQ(percent(3, 2), 150U);
  EXPECT_EQ(percent(0, 0), 100U);
  EXPECT_EQ(percent(1ULL << 56, 1ULL << 57), 50U);
}

TEST(Placement, swaps_keep_the_cost_that_counting_anew_finds_and_undo_each_other) {
  std::minstd_rand lot(7);
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Rank ranks = 2 + static_cast<Rank>(seed % 12);
    const auto made = random_case(seed, ranks);
    const NetworkTree tree(made.network, 1);
    const CommunicationGraph graph(ranks, made.exchanges);
    Placement placement(graph, made.places, tree, made.places.host_of_rank);
    for (int step = 0; step < 20; ++step) {
      const auto one = static_cast<Rank>(lot() % static_cast<unsigned>(ranks));
      const auto other = static_cast<Rank>(lot() % static_cast<unsigned>(ranks));
      const TrafficCost before = placement.cost();
      placement.swap(one, other);
      const TrafficCost after = placement.cost();
      EXPECT_EQ(after, Placement(graph, made.places, tree, placement.host_of()).cost());
      placement.swap(one, other);
      EXPECT_EQ(placement.cost(), before);
      placement.swap(other, one);
      EXPECT_EQ(placement.cost(), after);
    }
  }
}

}  // namespace
}  // namespace quadrille
