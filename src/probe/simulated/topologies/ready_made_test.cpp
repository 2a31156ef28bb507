// SPDX-License-Identifier: BSD-3-Clause
// The lab's networks have its segments, in any size.
#include "probe/simulated/topologies/ready_made.h"

#include <gtest/gtest.h>

#include "probe/simulated/topologies/expected_network.h"

namespace quadrille::probe {
namespace {

TEST(ReadyMade, networks_are_trees_with_the_segments_of_the_lab) {
  const std::vector<std::size_t> segments{1, 2, 4, 2, 4, 2, 3, 5};
  const auto names = ready_made_names();
  ASSERT_EQ(names.size(), segments.size());
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto topology = ready_made(names[at]);
    ASSERT_TRUE(topology.ok()) << names[at];
    EXPECT_EQ(problem_of(topology.value()), "") << names[at];
    EXPECT_EQ(expected_segments(topology.value()).size(), segments[at]) << names[at];
  }
}

TEST(ReadyMade, takes_hosts_rate_and_buffer_and_refuses_what_cannot_be) {
  const auto large = ready_made("three_levels", {.hosts = 256, .rate_mbit = 100, .buffer_kib = 64});
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(large.value().hosts.size(), 256U);
  EXPECT_EQ(large.value().hosts[255].in_bit_s, 100e6);
  EXPECT_EQ(large.value().hosts[0].buffer_bytes, 65536U);
  EXPECT_EQ(expected_segments(large.value()).size(), 16U);
  EXPECT_NE(ready_made("two").error().message.find("two_sites"), std::string::npos);
  EXPECT_EQ(ready_made("eco_table7", {.hosts = 8}).error().kind, ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace quadrille::probe
