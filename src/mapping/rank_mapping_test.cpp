// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/rank_mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mapping/mapping_case.h"

namespace quadrille {
namespace {

std::vector<Rank> numbers(Rank ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool is_permutation_of_ranks(std::vector<Rank> ranks) {
  std::ranges::sort(ranks);
  return ranks == numbers(static_cast<Rank>(ranks.size()));
}

TrafficCost cost_of(const RankMapping& mapping, const CommunicationGraph& graph,
                    const TopologyView& places, const NetworkTree& tree) {
  std::vector<std::uint32_t> hosts;
  for (const Rank old_rank : mapping.old_rank)
    hosts.push_back(places.host_of_rank[static_cast<std::size_t>(old_rank)]);
  return Placement(graph, places, tree, hosts).cost();
}

TrafficCost least_by_trying_all(const CommunicationGraph& graph, const TopologyView& places,
                                const NetworkTree& tree) {
  std::vector<std::uint32_t> hosts = places.host_of_rank;
  std::ranges::sort(hosts);
  TrafficCost least = Placement(graph, places, tree, hosts).cost();
  while (std::ranges::next_permutation(hosts).found)
    least = std::min(least, Placement(graph, places, tree, hosts).cost());
  return least;
}

TEST(RankMapping, is_a_permutation_no_worse_than_the_identity_on_any_network) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Rank ranks = 1 + static_cast<Rank>(seed % 33);
    const auto made = random_case(seed, ranks);
    const NetworkTree tree(made.network, 1);
    const CommunicationGraph graph(ranks, made.exchanges);
    const auto mapping = map_ranks(graph, std::nullopt, made.places, tree);
    ASSERT_TRUE(is_permutation_of_ranks(mapping.old_rank)) << "seed " << seed;
    EXPECT_LE(mapping.after, mapping.before);
    EXPECT_EQ(mapping.after, cost_of(mapping, graph, made.places, tree));
    if (!mapping.gains()) {
      EXPECT_EQ(mapping.old_rank, numbers(ranks));
    }
  }
}

TEST(RankMapping, of_up_to_seven_ranks_is_the_best_there_is) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Rank ranks = 2 + static_cast<Rank>(seed % 6);
    const auto made = random_case(seed, ranks);
    const NetworkTree tree(made.network, 1);
    const CommunicationGraph graph(ranks, made.exchanges);
    const auto mapping = map_ranks(graph, std::nullopt, made.places, tree);
    EXPECT_EQ(mapping.after, least_by_trying_all(graph, made.places, tree)) << "seed " << seed;
  }
}

TEST(RankMapping, is_the_same_every_time) {
  const auto made = random_case(11, 30);
  const NetworkTree tree(made.network, 1);
  const CommunicationGraph graph(30, made.exchanges);
  const auto once = map_ranks(graph, std::nullopt, made.places, tree);
  EXPECT_EQ(once.old_rank, map_ranks(graph, std::nullopt, made.places, tree).old_rank);
}

// The hosts of ECO's three segments: 0 3 6 / 1 4 7 / 2 5 and so on.
TEST(RankMapping, a_ring_over_three_interleaved_segments_crosses_three_times_and_a_chain_twice) {
  const auto network = buses_around_a_bridge(3, 1.25e6);
  const NetworkTree tree(network, 4);
  for (Rank ranks = 4; ranks <= 33; ++ranks) {
    std::vector<std::uint32_t> segments;
    for (Rank rank = 0; rank < ranks; ++rank)
      segments.push_back(static_cast<std::uint32_t>(rank % 3));
    const auto places = hosts_in(segments, std::vector<Rank>(segments.size(), 1));
    const Grid ring{{ranks}, {true}};
    const Grid chain{{ranks}, {false}};
    EXPECT_EQ(map_ranks(graph_of(ring, ranks), ring, places, tree).after.segment_crossings, 3U);
    EXPECT_EQ(map_ranks(graph_of(chain, ranks), chain, places, tree).after.segment_crossings, 2U);
    const CommunicationGraph graph(ranks, ring_of(ranks));
    EXPECT_EQ(map_ranks(graph, std::nullopt, places, tree).after.segment_crossings, 3U);
  }
}

TEST(RankMapping, a_chain_along_a_deep_tree_crosses_the_longest_way_once) {
  NetworkRates network;  // leaves 0..3, two a spine, the spines at a core
  for (int node = 0; node < 7; ++node) network.segments.push_back({"s", 0});
  network.trunks = {{"", 0, 4, 0, 0}, {"", 1, 4, 0, 0}, {"", 2, 5, 0, 0},
                    {"", 3, 5, 0, 0}, {"", 4, 6, 0, 0}, {"", 5, 6, 0, 0}};
  const NetworkTree tree(network, 7);
  const auto places = hosts_in({0, 2, 1, 3, 2, 0, 3, 1}, std::vector<Rank>(8, 1));
  const Grid chain{{8}, {false}};
  const auto mapping = map_ranks(graph_of(chain, 8), chain, places, tree);
  EXPECT_EQ(mapping.after.segment_crossings, 3U);
  EXPECT_EQ(mapping.after.trunk_crossings, 8U) << "within both spines 2 each, between them 4";
}

TEST(RankMapping, ranks_of_a_host_stay_together_whatever_their_number) {
  const NetworkTree tree({}, 1);
  TopologyView places{{}, {0, 0, 0}};
  for (const std::uint32_t host : {0U, 1U, 2U, 0U, 2U, 0U, 2U, 0U, 0U})
    places.host_of_rank.push_back(host);
  const Grid ring{{9}, {true}};
  const auto mapping = map_ranks(graph_of(ring, 9), ring, places, tree);
  EXPECT_EQ(mapping.after.host_crossings, 3U);
}

TEST(RankMapping, a_torus_is_cut_into_blocks) {
  const NetworkTree tree({}, 4);
  TopologyView places{{}, {0, 1, 2, 3}};
  for (std::uint32_t rank = 0; rank < 64; ++rank) places.host_of_rank.push_back(rank % 4);
  const Grid grid{{8, 8}, {false, false}};
  const auto mapping = map_ranks(graph_of(grid, 64), grid, places, tree);
  EXPECT_EQ(mapping.after.host_crossings, 16U) << "four blocks of 4 x 4";
}

TEST(RankMapping, a_cube_is_cut_into_blocks_of_hosts_in_blocks_of_segments) {
  const NetworkTree tree({}, 8);
  TopologyView places;
  for (std::uint32_t host = 0; host < 64; ++host) places.segment_of_host.push_back(host % 8);
  for (std::uint32_t rank = 0; rank < 512; ++rank) places.host_of_rank.push_back(rank * 7 % 64);
  const Grid grid{{8, 8, 8}, {false, false, false}};
  const auto mapping = map_ranks(graph_of(grid, 512), grid, places, tree);
  EXPECT_EQ(mapping.after.segment_crossings, 3U * 64) << "eight blocks of 4 x 4 x 4";
  EXPECT_EQ(mapping.after.host_crossings, 3U * 3 * 64) << "64 blocks of 2 x 2 x 2";
}

TEST(RankMapping, uneven_hosts_still_gain) {
  const auto network = buses_around_a_bridge(3, 1.25e6);
  const NetworkTree tree(network, 4);
  const auto even = hosts_in({0, 1, 2, 0, 1}, {4, 4, 4, 4, 4});
  TopologyView places{{}, even.segment_of_host};
  for (std::uint32_t rank = 0; rank < 18; ++rank) places.host_of_rank.push_back(rank % 5);
  const Grid grid{{3, 6}, {false, true}};
  const auto mapping = map_ranks(graph_of(grid, 18), grid, places, tree);
  EXPECT_LT(mapping.after.segment_crossings * 3, mapping.before.segment_crossings * 2);
}

TEST(RankMapping, ranks_beyond_the_grid_are_left_out_where_it_helps_most) {
  const NetworkTree tree({}, 2);
  const auto places = hosts_in({0, 1}, {4, 2});
  TopologyView mixed{{0, 1, 0, 1, 0, 0}, places.segment_of_host};
  const Grid ring{{4}, {true}};
  const auto mapping = map_ranks(graph_of(ring, 6), ring, mixed, tree);
  EXPECT_EQ(mapping.after.host_crossings, 0U);
  EXPECT_TRUE(is_permutation_of_ranks(mapping.old_rank));
}

TEST(RankMapping, where_no_order_is_better_the_ranks_stay) {
  const Grid ring{{6}, {true}};
  const auto graph = graph_of(ring, 6);
  const NetworkTree tree({}, 1);
  for (const auto& places : {hosts_in({0}, {6}), TopologyView::flat(6)}) {
    EXPECT_FALSE(order_matters(places));
    EXPECT_FALSE(map_ranks(graph, ring, places, tree).gains());
  }
  const auto sorted = hosts_in({0, 0}, {3, 3});
  EXPECT_TRUE(order_matters(sorted));
  EXPECT_EQ(map_ranks(graph, ring, sorted, tree).old_rank, numbers(6));
}

TEST(RankMapping, one_and_two_ranks) {
  const NetworkTree tree({}, 2);
  const Grid one{{1}, {true}};
  EXPECT_EQ(map_ranks(graph_of(one, 1), one, hosts_in({0}, {1}), tree).old_rank, numbers(1));
  const Grid two{{2}, {true}};
  EXPECT_EQ(map_ranks(graph_of(two, 2), two, hosts_in({0, 1}, {1, 1}), tree).old_rank, numbers(2));
}

TEST(RankMapping, the_slow_trunk_is_spared_at_the_price_of_more_crossings) {
  NetworkRates network;  // 1 is behind a slow trunk
  network.segments = {{"0", 0}, {"1", 0}, {"2", 0}, {"core", 0}};
  network.trunks = {{"", 0, 3, 1e8, 1e8}, {"", 1, 3, 1e6, 1e6}, {"", 2, 3, 1e8, 1e8}};
  const NetworkTree tree(network, 4);
  const auto places = hosts_in({0, 0, 1, 1, 2, 2}, std::vector<Rank>(6, 1));
  // Pairs 0-1 and 2-3 talk much; 4 and 5 little with everybody.
  const CommunicationGraph graph(
      6, {{0, 2, 100}, {1, 3, 100}, {4, 0, 10}, {4, 1, 10}, {5, 2, 10}, {5, 3, 10}, {4, 5, 1}});
  const auto mapping = map_ranks(graph, std::nullopt, places, tree);
  EXPECT_EQ(mapping.after, least_by_trying_all(graph, places, tree));
  EXPECT_LT(mapping.after.load, mapping.before.load);
}

}  // namespace
}  // namespace quadrille
