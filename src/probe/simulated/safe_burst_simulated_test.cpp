// SPDX-License-Identifier: BSD-3-Clause
// Buffers of simulated switches, of which the truth is known.
#include <gtest/gtest.h>

#include <cmath>

#include "probe/bursts/safe_burst.h"
#include "probe/simulated/phase_setting.h"
#include "probe/simulated/simulated_network.h"
#include "probe/simulated/stopwatch_network.h"

namespace quadrille::probe {
namespace {

struct Trial {
  Burst burst;
  double round_s = 0;
};

struct Switch {
  std::uint32_t hosts = 8;
  double mbit_s = 25;
  double buffer_kib = 32;
  double ambient = 0;
  bool token_buckets = false;
  std::uint32_t shared_memory_bytes = 0;
  double stalls_per_s = 1;  // of a host; more: 5 ms each on average
};

// With the rates as they would have been measured.
Trial trial(const Switch& plan, std::uint64_t seed, Depth depth = Depth::full) {
  SimulatedTopology topology;
  topology.token_buckets = plan.token_buckets;
  const NodeIndex node = topology.add_switch("s", plan.mbit_s * 1e6, plan.buffer_kib);
  topology.add_hosts(node, plan.hosts);
  topology.nodes[node].shared_memory_bytes = plan.shared_memory_bytes;
  set_ambient(topology, plan.ambient);
  Conditions conditions = wrong_samples(seed);
  conditions.stalls_per_s = plan.stalls_per_s;
  if (plan.stalls_per_s > 1) conditions.stall_ns = 5e6;
  SimulatedNetwork simulated(topology, conditions);
  StopwatchNetwork network(simulated);
  Setting setting = setting_on(network, seed, depth);
  const double rate = plan.mbit_s * 1e6;
  HostRates each;
  each.out_bit_s = each.in_bit_s = Measured{rate, rate * 0.97, rate * 1.03};
  each.ambient_out_share = each.ambient_in_share =
      Measured{plan.ambient, plan.ambient, plan.ambient};
  const std::vector<HostRates> rates(plan.hosts, each);
  const auto bursts = measure_safe_bursts(setting, {{.hosts = setting.hosts}}, rates);
  if (!bursts.ok()) {
    ADD_FAILURE() << bursts.error().message;
    return {};
  }
  return {bursts.value().front(), network.round_s()};
}

constexpr int kBurstSeeds = 8;

void expect_just_below(const MaybeMeasured& found, double buffer_bytes) {
  ASSERT_TRUE(found.has_value());
  EXPECT_LE(found->value, buffer_bytes);
  EXPECT_GE(found->value, buffer_bytes / 1.5);
  EXPECT_GE(found->high, buffer_bytes);
}

TEST(SafeBurst, is_below_the_buffer_by_less_than_half_of_itself) {
  for (const double buffer_kib : {8.0, 16.0, 32.0, 64.0, 128.0})
    for (const double ambient : {0.0, 0.3})
      for (const bool token_buckets : {false, true})
        for (int seed = 1; seed <= kBurstSeeds; ++seed) {
          SCOPED_TRACE(testing::Message()
                       << buffer_kib << " KiB, ambient " << ambient << ", token buckets "
                       << token_buckets << ", seed " << seed);
          const Trial found =
              trial({16, 25, buffer_kib, ambient, token_buckets}, static_cast<std::uint64_t>(seed));
          expect_just_below(found.burst.one_port_bytes, buffer_kib * 1024);
          expect_just_below(found.burst.all_ports_bytes, buffer_kib * 1024);
          EXPECT_FALSE(found.burst.lossless);
          EXPECT_LT(found.round_s, 1.0);
        }
}

TEST(SafeBurst, a_sender_that_is_held_up_does_not_make_the_port_look_small) {
  int small = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Trial found = trial({.mbit_s = 50, .buffer_kib = 64, .stalls_per_s = 6}, seed);
    ASSERT_TRUE(found.burst.one_port_bytes.has_value());
    small += found.burst.one_port_bytes->value < 64 * 1024 / 1.5 ? 1 : 0;
  }
  EXPECT_LE(small, 2) << "of 100";
}

TEST(SafeBurst, of_buffers_that_never_fill_is_at_least_what_was_queued) {
  const Trial found = trial({.hosts = 16, .buffer_kib = 16384, .token_buckets = true}, 1);
  EXPECT_TRUE(found.burst.lossless);
  EXPECT_GT(found.burst.one_port_bytes->low, 200e3);
  EXPECT_TRUE(std::isinf(found.burst.one_port_bytes->high));
}

TEST(SafeBurst, with_all_ports_loaded_is_less_where_ports_share_memory) {
  const Trial found = trial(
      {.hosts = 12, .buffer_kib = 64, .token_buckets = false, .shared_memory_bytes = 100 << 10}, 1);
  expect_just_below(found.burst.one_port_bytes, 64 << 10);
  // Four receivers at once share what one had.
  EXPECT_LT(found.burst.all_ports_bytes->value, 40 << 10);
}

TEST(SafeBurst, is_found_by_the_senders_themselves_where_nobody_is_idle) {
  const Trial found = trial({.hosts = 3, .token_buckets = true}, 1);
  ASSERT_TRUE(found.burst.one_port_bytes.has_value());
  EXPECT_LE(found.burst.one_port_bytes->value, 32 << 10);
  EXPECT_GE(found.burst.one_port_bytes->value, 16 << 10);
}

TEST(SafeBurst, at_program_start_takes_one_port_and_little_time) {
  for (int seed = 1; seed <= kBurstSeeds; ++seed) {
    const Trial found = trial({.hosts = 16, .ambient = 0.3, .token_buckets = true},
                              static_cast<std::uint64_t>(seed), Depth::quick);
    expect_just_below(found.burst.one_port_bytes, 32 << 10);
    EXPECT_FALSE(found.burst.all_ports_bytes.has_value());
    EXPECT_LT(found.round_s, 0.08);
  }
}

TEST(SafeBurst, is_unknown_of_two_hosts_and_of_a_bus) {
  EXPECT_FALSE(trial({.hosts = 2}, 1).burst.one_port_bytes.has_value());
  SimulatedTopology topology;
  topology.add_hosts(topology.add_bus("b", 10e6), 4);
  SimulatedNetwork network(topology);
  Setting setting = setting_on(network);
  const Measured rate{10e6, 9.7e6, 10.3e6};
  const std::vector<HostRates> rates(4, {rate, rate, std::nullopt, std::nullopt});
  const auto bursts = measure_safe_bursts(setting, {{setting.hosts, SegmentKind::bus}}, rates);
  EXPECT_FALSE(bursts.value().front().one_port_bytes.has_value());
  EXPECT_EQ(network.rounds(), 0U);
}

}  // namespace
}  // namespace quadrille::probe
