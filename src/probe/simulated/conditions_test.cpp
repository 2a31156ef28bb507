// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with hosts and their measuring shows in rounds as it was asked for, and no more.
#include "probe/simulated/conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "probe/simulated/hand_computed.h"

namespace quadrille::probe {
namespace {

TEST(Conditions, says_who_died_and_counts_time_and_bytes) {
  Conditions conditions = Conditions::exact();
  conditions.troubles = {{.host = 2, .dies_at_ns = 100 * kMillisecond}};
  SimulatedNetwork network(one_switch(4), conditions);
  Round round = lasting(50 * kMillisecond);
  round.streams = {stream(0, 1, 3)};
  perform(network, round);
  EXPECT_EQ(network.elapsed_ns(), 65'400'000);
  EXPECT_EQ(network.sent_bytes(), 3U * 1514);
  const auto failed = network.perform(round);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::peer_lost);
  EXPECT_NE(failed.error().message.find("h2"), std::string::npos);
}

TEST(Conditions, isolated_hosts_and_firewalled_pairs_get_nothing_through) {
  Conditions conditions = Conditions::exact();
  conditions.troubles = {{.host = 2, .isolated = true}};
  conditions.firewalled = {{0, 1}};
  conditions.other_networks = {{.interface = "docker0", .physical = false, .same_address = true},
                               {}};
  conditions.main_network = 1;
  SimulatedNetwork network(one_switch(4), conditions);
  ASSERT_EQ(network.networks().size(), 3U);
  EXPECT_EQ(network.networks()[0].address[0], network.networks()[0].address[3]);
  EXPECT_EQ(network.networks()[1].interface[0], "eth0");
  Round round = lasting(50 * kMillisecond);
  round.fans = {{.from = 0, .to = {1, 2, 3}, .passes = 1},
                {.from = 1, .to = {0, 2}, .passes = 1},
                {.from = 2, .to = {0}, .passes = 1}};
  const auto received = [&](std::uint32_t on) {
    round.network = on;
    std::vector<std::uint32_t> counts;
    for (const auto& fan : perform(network, round).fans) {
      for (const auto& target : fan) counts.push_back(target.received);
    }
    return counts;
  };
  EXPECT_EQ(received(0), (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(received(1), (std::vector<std::uint32_t>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(received(2), (std::vector<std::uint32_t>{1, 1, 1, 1, 1, 1}));
}

// Least delays of a light datagram from 0 to 1 and back in one round.
std::pair<double, double> light_delays(SimulatedNetwork& network) {
  Round round = lasting(100 * kMillisecond);
  round.fans = {{.from = 0, .to = {1}, .duration_ns = 50 * kMillisecond, .passes = 20},
                {.from = 1, .to = {0}, .duration_ns = 50 * kMillisecond, .passes = 20}};
  const auto fans = perform(network, round).fans;
  return {static_cast<double>(fans[0][0].least_delay_ns),
          static_cast<double>(fans[1][0].least_delay_ns)};
}

TEST(Conditions, clocks_shift_the_delays_of_a_pair_by_one_constant) {
  Conditions conditions = Conditions::exact();
  conditions.clock_offset_ns = 5 * kMillisecond;
  SimulatedNetwork network(one_switch(2), conditions);
  const auto [there, back] = light_delays(network);
  EXPECT_GT(std::abs(there - back), 10'000);
  EXPECT_NEAR(there + back, 2 * (2 * kLightNs + kHostNs), kRoundingNs);
  const auto [again, again_back] = light_delays(network);
  EXPECT_NEAR(again, there, kRoundingNs);
  EXPECT_NEAR(again_back, back, kRoundingNs);
}

TEST(Conditions, drifting_clocks_change_delays_from_round_to_round) {
  Conditions conditions = Conditions::exact();
  conditions.clock_drift_ppm = 100;
  SimulatedNetwork network(one_switch(2), conditions);
  const auto [there, back] = light_delays(network);
  const auto [later, later_back] = light_delays(network);
  EXPECT_GT(std::abs(later - there), 100);
  EXPECT_NEAR(later + later_back, there + back, 1000);
}

TEST(Conditions, hosts_that_begin_late_are_named) {
  Conditions conditions = Conditions::exact();
  conditions.late_starts = 0.3;
  SimulatedNetwork network(one_switch(4), conditions);
  Round round = lasting(50 * kMillisecond);
  round.streams = {stream(0, 1, 1)};
  int late = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto result = perform(network, round);
    late += static_cast<int>(result.unpunctual.size());
    const bool first_late = !result.unpunctual.empty() && result.unpunctual[0] == 0;
    EXPECT_EQ(result.streams[0].first_arrival_ns > 5 * kMillisecond, first_late);
  }
  EXPECT_NEAR(late, 240, 60);
}

TEST(Conditions, stalled_hosts_delay_some_datagrams_and_never_hasten_any) {
  Conditions conditions = Conditions::exact();
  conditions.stalls_per_s = 20;
  conditions.stall_ns = 2e6;
  SimulatedNetwork network(one_switch(2), conditions);
  Round round = lasting(3000 * kMillisecond);
  round.streams = {stream(0, 1, 1000)};
  round.streams[0].gap_ns = 2 * kMillisecond;
  const auto seen = perform(network, round).streams[0];
  ASSERT_EQ(seen.received, 1000U);
  EXPECT_NEAR(static_cast<double>(seen.least_delay_ns), 2 * kFullNs + kHostNs, kRoundingNs);
  EXPECT_NEAR(static_cast<double>(seen.median_delay_ns), 2 * kFullNs + kHostNs, kRoundingNs);
  const auto late = std::count_if(seen.arrivals.begin(), seen.arrivals.end(),
                                  [](const Arrival& one) { return one.delay_ns > 2.2 * kFullNs; });
  EXPECT_GT(late, 10);
  EXPECT_TRUE(std::is_sorted(
      seen.arrivals.begin(), seen.arrivals.end(),
      [](const Arrival& one, const Arrival& other) { return one.at_ns < other.at_ns; }));
}

TEST(Conditions, a_stall_does_not_hold_up_what_comes_before_it) {
  Conditions conditions = Conditions::exact();
  conditions.stalls_per_s = 0.5;
  SimulatedNetwork network(one_switch(2), conditions);
  Round round = lasting(60'000 * kMillisecond);
  round.streams = {stream(0, 1, 10)};
  round.fans = {{.from = 0, .to = {1}, .at_ns = 50'000 * kMillisecond, .passes = 1}};
  const auto result = perform(network, round);
  EXPECT_EQ(result.fans[0][0].received, 1U);
  EXPECT_LT(result.streams[0].last_arrival_ns, 12 * kMillisecond);
}

TEST(Conditions, a_blocked_sender_that_stalls_sends_every_datagram_once) {
  Conditions conditions = Conditions::exact();
  conditions.stalls_per_s = 50;
  conditions.stall_ns = 5e6;
  SimulatedNetwork network(one_switch(2), conditions);
  Round round = lasting(5000 * kMillisecond);
  round.streams = {stream(0, 1, 1000)};
  const auto seen = perform(network, round).streams[0];
  EXPECT_EQ(seen.sent, 1000U);
  ASSERT_EQ(seen.arrivals.size(), 1000U);
  for (std::uint32_t at = 0; at < 1000; ++at) EXPECT_EQ(seen.arrivals[at].index, at);
  // Never more than the socket's four frames in the interface, and the blocked one.
  const auto median = static_cast<double>(seen.median_delay_ns);
  EXPECT_LT(median, 6.5 * kFullNs);
}

// All that a noisy round shows, in one number.
std::uint64_t fingerprint(std::uint64_t seed) {
  auto topology = one_switch(8);
  set_ambient(topology, 0.3);
  Conditions conditions;
  conditions.seed = seed;
  conditions.wrong_samples = 0.05;
  SimulatedNetwork network(topology, conditions);
  Round round = lasting(300 * kMillisecond);
  for (HostIndex host = 0; host < 8; ++host) {
    round.streams.push_back(stream(host, (host + 1) % 8, 100));
    round.fans.push_back({.from = host,
                          .to = {(host + 2) % 8, (host + 3) % 8},
                          .duration_ns = 200 * kMillisecond,
                          .passes = 5});
  }
  std::uint64_t sum = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto result = perform(network, round);
    for (const auto& one : result.streams) {
      for (const auto& arrival : one.arrivals) {
        sum = sum * 31 + static_cast<std::uint64_t>(arrival.delay_ns);
      }
    }
    for (const auto& fan : result.fans) {
      sum = sum * 31 + static_cast<std::uint64_t>(fan[0].median_delay_ns);
      sum = sum * 31 + static_cast<std::uint64_t>(fan[1].least_delay_ns);
    }
  }
  return sum;
}

TEST(Conditions, one_seed_one_outcome) {
  EXPECT_EQ(fingerprint(7), fingerprint(7));
  EXPECT_NE(fingerprint(7), fingerprint(8));
}

TEST(Conditions, wrong_samples_are_huge_and_as_many_as_asked_for) {
  Conditions conditions = Conditions::exact();
  conditions.wrong_samples = 0.05;
  SimulatedNetwork network(one_switch(2), conditions);
  Round round = lasting(3000 * kMillisecond);
  round.streams = {stream(0, 1, 2000)};
  const auto seen = perform(network, round).streams[0];
  const auto wrong =
      std::count_if(seen.arrivals.begin(), seen.arrivals.end(),
                    [](const Arrival& arrival) { return arrival.delay_ns > 10 * kMillisecond; });
  EXPECT_NEAR(static_cast<double>(wrong), 100, 30);
}

}  // namespace
}  // namespace quadrille::probe
