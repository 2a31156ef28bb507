// SPDX-License-Identifier: BSD-3-Clause
// Round trips on simulated networks: how many pairs are known, how well, in what time.
#include <gtest/gtest.h>

#include <algorithm>

#include "probe/latency/delay_classes.h"
#include "probe/latency/eco_partition.h"
#include "probe/latency/pair_latency.h"
#include "probe/simulated/phase_setting.h"
#include "probe/simulated/simulated_network.h"
#include "probe/simulated/topologies/ready_made.h"

namespace quadrille::probe {
namespace {

SimulatedTopology made(const std::string& name, ReadyMadeOptions options = {}) {
  return ready_made(name, options).value();
}

// Namespaces of one kernel with two cores, as in the emulated network.
void put_on_one_machine(SimulatedTopology& topology) {
  for (auto& host : topology.hosts) {
    host.machine = "m";
    host.cores = 2;
  }
}

std::vector<std::int64_t> least_times(const PairTable<PairLatency>& table) {
  std::vector<std::int64_t> times;
  for (HostIndex a = 0; a < table.hosts(); ++a) {
    for (HostIndex b = a + 1; b < table.hosts(); ++b) {
      if (table.at(a, b).answered > 0) times.push_back(table.at(a, b).least_round_trip_ns);
    }
  }
  std::ranges::sort(times);
  return times;
}

std::vector<std::uint32_t> true_segments(const SimulatedTopology& topology) {
  PairTable<double> cost(topology.hosts.size());
  for (HostIndex a = 0; a < topology.hosts.size(); ++a) {
    for (HostIndex b = 0; b < topology.hosts.size(); ++b) {
      cost.at(a, b) = topology.hosts[a].node == topology.hosts[b].node ? 1 : 2;
    }
  }
  return eco_partition(cost);
}

TEST(PairLatencySimulated, knows_every_pair_of_16_hosts_in_under_a_second_on_one_machine) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool token_buckets : {true, false}) {
      auto topology = made("one_switch", {.hosts = 16});
      topology.token_buckets = token_buckets;
      put_on_one_machine(topology);
      SimulatedNetwork network(topology, wrong_samples(seed));
      Setting setting = setting_on(network, seed);
      const auto found = measure_pair_latency(setting);
      ASSERT_TRUE(found.ok()) << found.error().message;
      EXPECT_LT(network.elapsed_ns(), 1000 * kMillisecond);
      EXPECT_EQ(found.value().at_once, 1U);
      const auto times = least_times(found.value().small);
      EXPECT_EQ(times.size(), 120U);
      EXPECT_LT(times.back(), 2 * times.front());
      EXPECT_FALSE(latency_partition(found.value().small, setting.hosts).has_value());
    }
  }
}

TEST(PairLatencySimulated, sees_through_ambient_load_and_wrong_samples) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto topology = made("one_switch", {.hosts = 16});
    set_ambient(topology, 0.3);
    SimulatedNetwork network(topology, wrong_samples(seed));
    Setting setting = setting_on(network, seed);
    const auto found = measure_pair_latency(setting);
    ASSERT_TRUE(found.ok()) << found.error().message;
    const auto times = least_times(found.value().small);
    ASSERT_EQ(times.size(), 120U);
    EXPECT_LT(times[times.size() * 95 / 100], times.front() + 15'000);
  }
}

TEST(PairLatencySimulated, of_48_hosts_on_one_machine_knows_all_in_two_and_a_half_seconds) {
  auto topology = made("one_switch", {.hosts = 48, .rate_mbit = 10});
  put_on_one_machine(topology);
  SimulatedNetwork network(topology, wrong_samples(3));
  Setting setting = setting_on(network, 3);
  const auto found = measure_pair_latency(setting);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_LT(network.elapsed_ns(), 2500 * kMillisecond);
  EXPECT_TRUE(found.value().all_pairs);
  const auto times = least_times(found.value().small);
  EXPECT_EQ(times.size(), 1128U);
  EXPECT_LT(times[times.size() * 98 / 100], times.front() + 15'000);
}

TEST(PairLatencySimulated, of_256_hosts_on_separate_machines_knows_nearly_all_in_five_seconds) {
  for (const double rate_mbit : {25.0, 1000.0}) {
    const auto topology = made("three_levels", {.hosts = 256, .rate_mbit = rate_mbit});
    SimulatedNetwork network(topology, wrong_samples(4));
    Setting setting = setting_on(network, 4);
    const auto found = measure_pair_latency(setting);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_LT(network.elapsed_ns(), 5000 * kMillisecond);
    EXPECT_GT(least_times(found.value().small).size(), 32'000U);
    EXPECT_LT(network.sent_bytes(), 256 * 500'000U);
  }
}

TEST(PairLatencySimulated, waits_longer_for_another_site_and_tells_it_apart) {
  auto topology = made("two_sites");
  put_on_one_machine(topology);
  SimulatedNetwork network(topology, wrong_samples(5));
  Setting setting = setting_on(network, 5);
  const auto found = measure_pair_latency(setting);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(latency_partition(found.value().small, setting.hosts), true_segments(topology));
  const auto classes = delay_classes(found.value().small, setting.hosts, true_segments(topology));
  ASSERT_GE(classes.size(), 2U);
  EXPECT_EQ(classes.front().name, "same switch");
  EXPECT_EQ(classes.back().name, "far");
}

TEST(PairLatencySimulated, does_not_wait_long_for_hosts_that_never_answer) {
  Conditions conditions;
  conditions.troubles = {{.host = 1, .dies_at_ns = -1, .isolated = true}};
  SimulatedNetwork network(made("one_switch", {.hosts = 16}), conditions);
  Setting setting = setting_on(network, 6);
  const auto found = measure_pair_latency(setting);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_LT(network.elapsed_ns(), 1500 * kMillisecond);
  EXPECT_EQ(least_times(found.value().small).size(), 105U);
  EXPECT_EQ(found.value().small.at(1, 2).answered, 0U);
}

TEST(PairLatencySimulated, knows_each_direction_for_itself) {
  auto topology = made("one_switch", {.hosts = 4});
  topology.hosts[2].out_bit_s = 5e6;
  SimulatedNetwork network(topology, wrong_samples(7));
  Setting setting = setting_on(network, 7);
  const auto found = measure_pair_latency(setting);
  ASSERT_TRUE(found.ok()) << found.error().message;
  int compared = 0;
  for (const HostIndex other : {0U, 1U, 3U}) {
    const auto& from = found.value().large.at(2, other);
    const auto& to = found.value().large.at(other, 2);
    if (from.answered == 0 || to.answered == 0) continue;
    ++compared;
    EXPECT_GT(from.least_round_trip_ns, 2 * to.least_round_trip_ns);
  }
  EXPECT_GT(compared, 0);
}

PairTable<double> costs_of(const PairTable<PairLatency>& latencies) {
  PairTable<double> cost(latencies.hosts());
  for (HostIndex a = 0; a < cost.hosts(); ++a) {
    for (HostIndex b = 0; b < cost.hosts(); ++b) {
      cost.at(a, b) = static_cast<double>(latencies.at(a, b).least_round_trip_ns);
    }
  }
  return cost;
}

// A frame is serialised once more behind the bridge: twice the time of a short message.
TEST(PairLatencySimulated, small_messages_show_a_bridge_to_the_20_percent_rule) {
  auto topology = made("eco_three_buses");
  topology.token_buckets = false;
  SimulatedNetwork network(topology, wrong_samples(8));
  Setting setting = setting_on(network, 8);
  const auto small = measure_pair_latency(setting);
  ASSERT_TRUE(small.ok()) << small.error().message;
  EXPECT_EQ(eco_partition(costs_of(small.value().small)), true_segments(topology));
}

}  // namespace
}  // namespace quadrille::probe
