// SPDX-License-Identifier: BSD-3-Clause
// Segments and trunks as a perfect measurement would find them.
#include "probe/simulated/topologies/expected_network.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

TEST(ExpectedNetwork, joins_switches_whose_trunk_cannot_be_filled_and_trunks_in_a_row) {
  SimulatedTopology topology;
  const auto one = topology.add_switch("s0", 10e6, 32);
  const auto other = topology.add_switch("s1", 10e6, 16);
  const auto between = topology.add_switch("between", 10e6, 32);
  const auto bus = topology.add_bus("bus", 10e6);
  topology.add_hosts(one, 2);
  topology.add_hosts(other, 2);
  topology.add_hosts(bus, 3);
  topology.add_trunk(one, other, 1000e6);
  topology.add_trunk(one, between, 8e6);
  topology.add_trunk(between, bus);
  const auto expected = expected_network(topology);
  ASSERT_EQ(expected.segments.size(), 2U);
  EXPECT_EQ(expected.segments[0].hosts, (std::vector<std::string>{"h0", "h1", "h2", "h3"}));
  EXPECT_EQ(expected.segments[0].buffer_bytes, 16U * 1024);
  EXPECT_EQ(expected.segments[1].kind, SegmentKind::bus);
  ASSERT_EQ(expected.trunks.size(), 2U);
  EXPECT_FALSE(expected.trunks[0].saturable);
  EXPECT_TRUE(expected.trunks[1].saturable);
  EXPECT_DOUBLE_EQ(expected.trunks[1].forward_bit_s, 8e6);
  EXPECT_DOUBLE_EQ(expected.trunks[1].backward_bit_s, 8e6);
}

}  // namespace
}  // namespace quadrille::probe
