// SPDX-License-Identifier: BSD-3-Clause
// Offers to trunks, summed by hand.
#include "probe/simulated/saturation.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

TEST(Saturation, counts_what_a_bus_and_inner_trunks_let_through) {
  SimulatedTopology topology;
  const auto core = topology.add_switch("core", 10e6, 32);
  const auto leaf = topology.add_switch("leaf", 10e6, 32);
  const auto bus = topology.add_bus("bus", 10e6);
  topology.add_hosts(core, 1);
  topology.add_hosts(leaf, 5);
  topology.add_hosts(bus, 4);
  topology.add_trunk(core, leaf, 30e6);
  topology.add_trunk(core, bus);
  const auto offers = trunk_offers(topology);
  EXPECT_DOUBLE_EQ(offers[0].backward_bit_s, 50e6);
  EXPECT_DOUBLE_EQ(offers[0].forward_bit_s, 20e6);
  EXPECT_DOUBLE_EQ(offers[1].backward_bit_s, 10e6);
  EXPECT_DOUBLE_EQ(offers[1].forward_bit_s, 40e6);
  make_saturable(topology, 2);
  EXPECT_DOUBLE_EQ(topology.trunks[0].forward_bit_s, 25e6);
  EXPECT_DOUBLE_EQ(topology.trunks[1].forward_bit_s, 10e6);
  EXPECT_DOUBLE_EQ(topology.trunks[1].backward_bit_s, 0);
}

}  // namespace
}  // namespace quadrille::probe
