// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/network_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mapping/mapping_case.h"

namespace quadrille {
namespace {

TEST(NetworkTree, segments_of_which_nothing_is_known_meet_in_a_junction) {
  const NetworkTree tree({}, 3);
  EXPECT_EQ(tree.size(), 4U);
  for (std::uint32_t node = 0; node < 3; ++node) EXPECT_EQ(tree[node].bus_cost, 0U);
  const auto& walk = tree.walk();
  EXPECT_EQ(std::ranges::count(walk, 3U), 1);
  EXPECT_EQ(walk[1], 3U);
}

TEST(NetworkTree, one_segment_needs_no_junction) { EXPECT_EQ(NetworkTree({}, 1).size(), 1U); }

TEST(NetworkTree, parts_that_no_trunk_joins_are_joined) {
  NetworkRates network;
  for (const char* name : {"a", "b", "c", "d"}) network.segments.push_back({name, 0});
  network.trunks = {{"ab", 0, 1, 1e6, 1e6}, {"cd", 2, 3, 1e6, 1e6}};
  const NetworkTree tree(network, 4);
  EXPECT_EQ(tree.size(), 5U);
  EXPECT_EQ(tree.walk().size(), 5U);
}

TEST(NetworkTree, the_slowest_direction_counts_and_a_bus_carries_one_direction_at_a_time) {
  NetworkRates network;
  network.segments = {{"a", 0}, {"bus", 2e6}, {"c", 0}};
  network.trunks = {{"ab", 0, 1, 8e6, 4e6}, {"bc", 1, 2, 0, 0}};
  const NetworkTree tree(network, 3);
  EXPECT_EQ(tree[1].bus_cost, 2U * 65536);
  const auto trunk = [&](std::uint32_t one, std::uint32_t other) {
    return tree[one].parent == other ? tree[one].trunk_cost : tree[other].trunk_cost;
  };
  EXPECT_EQ(trunk(0, 1), 65536U / 2);
  EXPECT_EQ(trunk(1, 2), 65536U) << "a rate that is not known counts as the slowest that is";
}

TEST(NetworkTree, every_walk_has_each_node_once_after_its_parent) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto made = random_case(seed, 4);
    const NetworkTree tree(made.network, 1);
    std::vector<bool> visited(tree.size(), false);
    for (const std::uint32_t node : tree.walk()) {
      EXPECT_FALSE(visited[node]);
      visited[node] = true;
      EXPECT_TRUE(visited[tree[node].parent]);
      if (node == tree.root()) continue;
      EXPECT_EQ(tree[node].depth, tree[tree[node].parent].depth + 1);
      EXPECT_GE(tree[node].trunk_cost, 1U);
    }
    EXPECT_EQ(std::ranges::count(visited, true), tree.size());
  }
}

TEST(NetworkTree, the_walk_goes_from_one_end_of_the_longest_way_to_the_other) {
  NetworkRates network;  // 0 - 1 - 2 - 3, and 4 at 1, 5 at 2
  for (int node = 0; node < 6; ++node) network.segments.push_back({"s", 0});
  network.trunks = {
      {"", 0, 1, 0, 0}, {"", 2, 1, 0, 0}, {"", 2, 3, 0, 0}, {"", 4, 1, 0, 0}, {"", 5, 2, 0, 0}};
  const NetworkTree tree(network, 6);
  const auto end = tree.walk().back();
  EXPECT_EQ(tree[end].depth, 3U);
}

}  // namespace
}  // namespace quadrille
