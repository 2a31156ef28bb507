// SPDX-License-Identifier: BSD-3-Clause
// Multicast and overheads on simulated networks.
#include <gtest/gtest.h>

#include <algorithm>

#include "probe/rates/host_overheads.h"
#include "probe/reach/multicast_reach.h"
#include "probe/simulated/phase_setting.h"
#include "probe/simulated/simulated_network.h"
#include "probe/simulated/topologies/ready_made.h"

namespace quadrille::probe {
namespace {

constexpr double kRateBitS = 25e6;

std::vector<HostRates> rates_of(const SimulatedTopology& topology, double ambient = 0) {
  std::vector<HostRates> rates;
  for (const auto& host : topology.hosts) {
    const bool on_bus = topology.nodes[host.node].bus;
    const double out = on_bus ? topology.nodes[host.node].rate_bit_s : host.out_bit_s;
    const double in = on_bus ? topology.nodes[host.node].rate_bit_s : host.in_bit_s;
    rates.push_back({Measured{out, out, out}, Measured{in, in, in},
                     Measured{ambient, ambient, ambient}, Measured{ambient, ambient, ambient}});
  }
  return rates;
}

std::vector<HostSet> groups_of(const SimulatedTopology& topology) {
  std::vector<HostSet> groups(topology.nodes.size());
  for (HostIndex host = 0; host < topology.hosts.size(); ++host) {
    groups[topology.hosts[host].node].push_back(host);
  }
  std::erase_if(groups, [](const HostSet& group) { return group.empty(); });
  return groups;
}

TEST(MulticastReachSimulated, works_at_nine_tenths_of_the_free_rate_under_ambient_load) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto topology = ready_made("one_switch", {.hosts = 16}).value();
    set_ambient(topology, 0.3);
    Conditions conditions;
    conditions.seed = seed;
    SimulatedNetwork network(topology, conditions);
    Setting setting = setting_on(network);
    const auto found =
        measure_multicast_reach(setting, groups_of(topology), rates_of(topology, 0.3));
    ASSERT_TRUE(found.ok()) << found.error().message;
    const auto& group = found.value().groups.at(0);
    EXPECT_EQ(group.works, true);
    ASSERT_TRUE(group.rate_bit_s.has_value());
    EXPECT_GE(group.rate_bit_s->value, 0.5 * 0.7 * kRateBitS);
    EXPECT_LE(group.rate_bit_s->value, 0.9 * 0.7 * kRateBitS + 1);
    ASSERT_TRUE(group.loss.has_value());
    EXPECT_LE(group.loss->value, 0.02);
  }
}

TEST(MulticastReachSimulated, does_not_work_where_the_switch_drops_it) {
  auto topology = ready_made("two_switches_one_trunk", {.hosts = 8}).value();
  topology.nodes[1].multicast = false;
  SimulatedNetwork network(topology);
  Setting setting = setting_on(network);
  const auto found = measure_multicast_reach(setting, groups_of(topology), rates_of(topology));
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value().groups[0].works, true);
  EXPECT_EQ(found.value().groups[1].works, false);
  EXPECT_FALSE(found.value().groups[1].rate_bit_s.has_value());
  EXPECT_EQ(found.value().groups[1].not_heard.size(), 12U);
  EXPECT_EQ(found.value().between[0][1], false);
}

TEST(MulticastReachSimulated, is_not_said_to_have_a_rate_beyond_what_a_hosts_cable_takes) {
  auto topology = ready_made("one_switch", {.hosts = 6}).value();
  auto rates = rates_of(topology);
  topology.hosts[3].in_bit_s = 10e6;  // slower than was measured
  SimulatedNetwork network(topology);
  Setting setting = setting_on(network);
  const auto found = measure_multicast_reach(setting, groups_of(topology), rates);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const auto& group = found.value().groups[0];
  ASSERT_TRUE(group.rate_bit_s.has_value());
  EXPECT_LE(group.rate_bit_s->value, 12.6e6);
  EXPECT_GE(group.rate_bit_s->high, 10e6);
}

TEST(MulticastReachSimulated, on_three_buses_reaches_everybody) {
  auto topology = ready_made("eco_three_buses").value();
  SimulatedNetwork network(topology);
  Setting setting = setting_on(network);
  const auto found = measure_multicast_reach(setting, groups_of(topology), rates_of(topology));
  ASSERT_TRUE(found.ok()) << found.error().message;
  for (const auto& row : found.value().between) {
    EXPECT_TRUE(std::ranges::all_of(row, [](const auto& works) { return works == true; }));
  }
}

TEST(MulticastReachSimulated, tells_at_what_age_it_still_worked) {
  const auto topology = ready_made("one_switch", {.hosts = 6}).value();
  SimulatedNetwork network(topology);
  Setting setting = setting_on(network);
  const auto groups = groups_of(topology);
  const auto found = measure_multicast_reach(setting, groups, rates_of(topology));
  ASSERT_TRUE(found.ok()) << found.error().message;
  Round pause;
  pause.duration_ns = 60'000'000'000;
  ASSERT_TRUE(network.perform(pause).ok());
  const auto again = multicast_keeps_working(setting, groups, found.value());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_GT(again.value().age_ns, 60'000'000'000);
  EXPECT_EQ(again.value().works, (std::vector<std::optional<bool>>{true}));
  EXPECT_TRUE(again.value().lost.empty());
}

TEST(MulticastReachSimulated, of_16_hosts_at_program_start_takes_a_tenth_of_a_second) {
  const auto topology = ready_made("one_switch", {.hosts = 16}).value();
  SimulatedNetwork network(topology);
  Setting setting = setting_on(network, 1, Depth::quick);
  const auto found = measure_multicast_reach(setting, groups_of(topology), rates_of(topology));
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found.value().groups[0].rate_bit_s.has_value());
  EXPECT_LT(network.elapsed_ns(), 120'000'000);
}

TEST(HostOverheadsSimulated, finds_what_each_host_was_given) {
  auto topology = ready_made("one_switch", {.hosts = 8}).value();
  topology.hosts[5].send_overhead_ns = 9000;
  topology.hosts[2].receive_overhead_ns = 7000;
  Conditions conditions;
  conditions.jitter_ns = 500;
  SimulatedNetwork network(topology, conditions);
  Setting setting = setting_on(network);
  const auto found = measure_host_overheads(setting, rates_of(topology));
  ASSERT_TRUE(found.ok()) << found.error().message;
  for (HostIndex host = 0; host < 8; ++host) {
    const auto& overheads = found.value().hosts[host];
    ASSERT_TRUE(overheads.send_ns && overheads.receive_ns && overheads.gap_ns);
    EXPECT_NEAR(overheads.send_ns->value, host == 5 ? 9000 : 4000, 1000);
    EXPECT_NEAR(overheads.receive_ns->value, host == 2 ? 7000 : 3000, 1000);
    EXPECT_GE(overheads.gap_ns->value, overheads.send_ns->value - 100);
  }
  EXPECT_NEAR(found.value().usual.send_ns->value, 4000, 1000);
}

}  // namespace
}  // namespace quadrille::probe
