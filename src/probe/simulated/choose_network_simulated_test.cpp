// SPDX-License-Identifier: BSD-3-Clause
// The choice among simulated networks: slow ones, docker's, firewalls, hosts that nobody reaches.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "probe/reach/choose_network.h"
#include "probe/simulated/simulated_network.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

SimulatedTopology one_switch(std::uint32_t hosts, double rate_bit_s = 25e6) {
  SimulatedTopology topology;
  topology.token_buckets = true;
  topology.add_hosts(topology.add_switch("s0", rate_bit_s, 32), hosts);
  return topology;
}

std::vector<HostIndex> all(std::size_t hosts) {
  std::vector<HostIndex> indices(hosts);
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

bool mentions(const std::vector<std::string>& texts, const std::string& part) {
  return std::ranges::any_of(
      texts, [&](const auto& text) { return text.find(part) != std::string::npos; });
}

TEST(ChooseNetworkSimulated, takes_the_only_network_within_a_tenth_of_a_second) {
  SimulatedNetwork network(one_switch(16));
  const auto choice = choose_network(network, Depth::full, 1);
  ASSERT_TRUE(choice.ok()) << choice.error().message;
  EXPECT_EQ(choice.value().network, 0U);
  EXPECT_EQ(choice.value().hosts, all(16));
  EXPECT_TRUE(choice.value().unreachable.empty());
  EXPECT_TRUE(choice.value().not_usable.empty());
  EXPECT_TRUE(choice.value().warnings.empty());
  EXPECT_LT(network.elapsed_ns(), kSecond / 10);
}

TEST(ChooseNetworkSimulated, refuses_dockers_and_takes_the_faster_of_those_that_work) {
  for (const auto& [main_rate, other_rate] :
       {std::pair(25e6, 10e6), std::pair(1e9, 100e6), std::pair(10e9, 1e9)}) {
    for (const std::uint32_t main_network : {0U, 2U}) {
      Conditions conditions;
      conditions.main_network = main_network;
      conditions.other_networks = {
          {.interface = "docker0", .rate_bit_s = 10e9, .physical = false, .same_address = true},
          {.interface = "adm0", .rate_bit_s = other_rate}};
      SimulatedNetwork network(one_switch(6, main_rate), conditions);
      const auto choice = choose_network(network, Depth::full, 2);
      ASSERT_TRUE(choice.ok()) << choice.error().message;
      EXPECT_EQ(choice.value().network, main_network) << main_rate;
      EXPECT_TRUE(mentions(choice.value().not_usable, "docker0"));
      EXPECT_TRUE(mentions(choice.value().not_usable, "works, but"));
    }
  }
}

TEST(ChooseNetworkSimulated, takes_the_faster_under_ambient_load_and_wrong_samples_too) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Conditions conditions;
    conditions.seed = seed;
    conditions.wrong_samples = 0.05;
    conditions.other_networks = {{.interface = "adm0", .rate_bit_s = 10e6}};
    auto topology = one_switch(8);
    set_ambient(topology, 0.3);
    SimulatedNetwork network(topology, conditions);
    const auto choice = choose_network(network, Depth::full, seed);
    ASSERT_TRUE(choice.ok()) << choice.error().message;
    EXPECT_EQ(choice.value().network, 0U) << "seed " << seed;
  }
}

TEST(ChooseNetworkSimulated, takes_the_preferred_network_and_warns_when_another_is_faster) {
  Conditions conditions;
  conditions.main_network = 1;
  conditions.main_network_preferred = true;
  conditions.other_networks = {{.interface = "fast0", .rate_bit_s = 1e9}};
  SimulatedNetwork network(one_switch(4), conditions);
  const auto choice = choose_network(network, Depth::full, 3);
  ASSERT_TRUE(choice.ok()) << choice.error().message;
  EXPECT_EQ(choice.value().network, 1U);
  ASSERT_EQ(choice.value().warnings.size(), 1U);
  EXPECT_EQ(choice.value().warnings[0].topic, "slower_network");
}

TEST(ChooseNetworkSimulated, leaves_out_an_isolated_host_by_name) {
  Conditions conditions;
  conditions.troubles = {{.host = 3, .dies_at_ns = -1, .isolated = true}};
  SimulatedNetwork network(one_switch(6), conditions);
  const auto choice = choose_network(network, Depth::full, 4);
  ASSERT_TRUE(choice.ok()) << choice.error().message;
  EXPECT_EQ(choice.value().hosts, (std::vector<HostIndex>{0, 1, 2, 4, 5}));
  ASSERT_EQ(choice.value().warnings.size(), 1U);
  EXPECT_EQ(choice.value().warnings[0].topic, "unreachable");
  EXPECT_EQ(choice.value().warnings[0].hosts, (std::vector<std::string>{"h3"}));
}

TEST(ChooseNetworkSimulated, names_a_firewalled_direction_and_keeps_the_hosts) {
  Conditions conditions;
  conditions.firewalled = {{1, 4}};
  SimulatedNetwork network(one_switch(8), conditions);
  const auto choice = choose_network(network, Depth::full, 5);
  ASSERT_TRUE(choice.ok()) << choice.error().message;
  EXPECT_EQ(choice.value().hosts, all(8));
  EXPECT_EQ(choice.value().unreachable, (std::vector<OneWay>{{1, 4}}));
  ASSERT_EQ(choice.value().warnings.size(), 1U);
  EXPECT_NE(choice.value().warnings[0].text.find("h1 to h4"), std::string::npos);
}

TEST(ChooseNetworkSimulated, says_that_udp_does_not_get_through) {
  Conditions conditions;
  for (HostIndex host = 0; host < 4; ++host) {
    conditions.troubles.push_back({.host = host, .dies_at_ns = -1, .isolated = true});
  }
  SimulatedNetwork network(one_switch(4), conditions);
  const auto choice = choose_network(network, Depth::full, 6);
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().kind, ErrorKind::unsupported);
  EXPECT_NE(choice.error().message.find("a firewall?"), std::string::npos);
  EXPECT_LT(network.elapsed_ns(), kSecond);
}

TEST(ChooseNetworkSimulated, passes_a_host_that_dies_on_as_an_error) {
  Conditions conditions;
  conditions.troubles = {{.host = 2, .dies_at_ns = 0, .isolated = false}};
  SimulatedNetwork network(one_switch(4), conditions);
  const auto choice = choose_network(network, Depth::full, 7);
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().kind, ErrorKind::peer_lost);
  EXPECT_NE(choice.error().message.find("h2"), std::string::npos);
}

TEST(ChooseNetworkSimulated, misses_nobody_on_a_slow_bus_of_many_or_with_losses) {
  SimulatedTopology bus;
  bus.add_hosts(bus.add_bus("b0", 10e6), 48);
  SimulatedNetwork slow(bus);
  const auto on_bus = choose_network(slow, Depth::full, 8);
  ASSERT_TRUE(on_bus.ok()) << on_bus.error().message;
  EXPECT_EQ(on_bus.value().hosts.size(), 48U);
  EXPECT_TRUE(on_bus.value().unreachable.empty());
  auto lossy = one_switch(32);
  for (auto& host : lossy.hosts) host.loss_in = 0.05;
  SimulatedNetwork losing(lossy);
  const auto with_losses = choose_network(losing, Depth::full, 9);
  ASSERT_TRUE(with_losses.ok()) << with_losses.error().message;
  EXPECT_EQ(with_losses.value().hosts.size(), 32U);
  EXPECT_TRUE(with_losses.value().unreachable.empty());
}

TEST(ChooseNetworkSimulated, of_256_hosts_finds_the_isolated_one_in_under_three_seconds) {
  Conditions conditions;
  conditions.troubles = {{.host = 77, .dies_at_ns = -1, .isolated = true}};
  SimulatedNetwork network(one_switch(256, 1e9), conditions);
  const auto choice = choose_network(network, Depth::full, 10);
  ASSERT_TRUE(choice.ok()) << choice.error().message;
  EXPECT_EQ(choice.value().hosts.size(), 255U);
  EXPECT_LT(network.elapsed_ns(), 3 * kSecond);
}

}  // namespace
}  // namespace quadrille::probe
