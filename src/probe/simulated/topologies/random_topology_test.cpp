// SPDX-License-Identifier: BSD-3-Clause
// Random networks are trees whose every trunk can be filled.
#include "probe/simulated/topologies/random_topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "probe/simulated/saturation.h"
#include "probe/simulated/topologies/expected_network.h"

namespace quadrille::probe {
namespace {

std::vector<std::string> names_of(const SimulatedTopology& topology) {
  std::vector<std::string> names;
  for (const auto& host : topology.hosts) names.push_back(host.name);
  return names;
}

TEST(RandomTopology, is_a_tree_with_trunks_that_can_be_filled) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto topology = random_topology(seed);
    ASSERT_EQ(problem_of(topology), "") << topology.name;
    const auto offers = trunk_offers(topology);
    for (std::size_t at = 0; at < offers.size(); ++at) {
      EXPECT_TRUE(is_saturable(topology.trunks[at], offers[at], kLeastOversubscription))
          << topology.name << " trunk " << at;
    }
    EXPECT_GE(expected_segments(topology).size(), 2U) << topology.name;
  }
}

TEST(RandomTopology, draws_every_shape_and_the_same_for_the_same_seed) {
  std::set<std::string> shapes;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto one = random_topology(seed);
    const auto other = random_topology(seed);
    shapes.insert(one.name.substr(0, one.name.find('/')));
    EXPECT_EQ(names_of(one), names_of(other));
    EXPECT_EQ(one.hosts[0].out_bit_s, other.hosts[0].out_bit_s);
  }
  EXPECT_EQ(shapes.size(), random_shapes().size());
}

TEST(RandomTopology, has_slow_hosts_and_one_directional_ones_in_random_order) {
  RandomOptions options;
  options.shape = "unequal_leaves";
  options.slow_host = 0;
  options.one_directional = 1;
  const auto topology = random_topology(5, options);
  const auto lopsided =
      std::count_if(topology.hosts.begin(), topology.hosts.end(),
                    [](const SimulatedHost& host) { return host.out_bit_s != host.in_bit_s; });
  EXPECT_EQ(lopsided, 1);
  auto names = names_of(topology);
  EXPECT_FALSE(std::is_sorted(names.begin(), names.end()));
}

}  // namespace
}  // namespace quadrille::probe
