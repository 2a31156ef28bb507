// SPDX-License-Identifier: BSD-3-Clause
// Rounds on simulated networks against delays, losses and rates computed by hand.
#include "probe/simulated/simulated_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace quadrille::probe {
namespace {

constexpr double kRate = 12.112e6;             // a full frame a millisecond
constexpr std::int64_t kFullNs = 1'000'000;    // of a full frame
constexpr std::int64_t kLightNs = 66'051;      // of a light one
constexpr std::int64_t kHostNs = 4000 + 2000;  // send call, receive stamp
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kRoundingNs = 20;

SimulatedTopology one_switch(std::uint32_t hosts, double buffer_kib = 32) {
  SimulatedTopology topology;
  topology.add_hosts(topology.add_switch("s0", kRate, buffer_kib), hosts);
  return topology;
}

Stream stream(HostIndex from, HostIndex to, std::uint32_t count) {
  return {.from = from, .to = to, .at_ns = 0, .count = count, .keep_arrivals = true};
}

RoundResult perform(SimulatedNetwork& network, const Round& round) {
  auto result = network.perform(round);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result.value());
}

Round lasting(std::int64_t duration_ns) {
  Round round;
  round.duration_ns = duration_ns;
  return round;
}

TEST(SimulatedNetwork, a_lone_frame_is_serialised_twice) {
  SimulatedNetwork network(one_switch(2), Conditions::exact());
  Round round = lasting(20 * kMillisecond);
  round.streams = {stream(0, 1, 1)};
  const auto seen = perform(network, round).streams[0];
  EXPECT_EQ(seen.received, 1U);
  EXPECT_NEAR(static_cast<double>(seen.least_delay_ns), 2 * kFullNs + kHostNs, kRoundingNs);
  EXPECT_NEAR(static_cast<double>(seen.first_arrival_ns), 2 * kFullNs + 2000, kRoundingNs);
}

TEST(SimulatedNetwork, each_hop_adds_its_serialisation_and_delay) {
  SimulatedTopology topology;
  const auto one = topology.add_switch("s0", kRate, 32);
  const auto other = topology.add_switch("s1", kRate, 32);
  topology.add_hosts(one, 1);
  topology.add_hosts(other, 1);
  topology.add_trunk(one, other, kRate / 2).delay_ns = 5 * kMillisecond;
  SimulatedNetwork network(topology, Conditions::exact());
  Round round = lasting(50 * kMillisecond);
  round.streams = {stream(0, 1, 1)};
  EXPECT_NEAR(static_cast<double>(perform(network, round).streams[0].least_delay_ns),
              (1 + 2 + 1 + 5) * kFullNs + kHostNs, kRoundingNs);
}

TEST(SimulatedNetwork, token_buckets_pass_the_first_two_frames_at_once) {
  auto topology = one_switch(2);
  topology.token_buckets = true;
  SimulatedNetwork network(topology, Conditions::exact());
  Round round = lasting(50 * kMillisecond);
  round.streams = {stream(0, 1, 5)};
  const auto seen = perform(network, round).streams[0];
  ASSERT_EQ(seen.arrivals.size(), 5U);
  EXPECT_EQ(seen.arrivals[0].delay_ns, kHostNs);
  EXPECT_LT(seen.arrivals[1].at_ns - seen.arrivals[0].at_ns, 10'000);
  EXPECT_NEAR(static_cast<double>(seen.arrivals[4].at_ns - seen.arrivals[3].at_ns), kFullNs, 100);
  // The third leaves when the tokens of a whole frame are there again.
  EXPECT_NEAR(static_cast<double>(seen.arrivals[2].at_ns), kFullNs, 10'000);
}

TEST(SimulatedNetwork, two_senders_overload_a_port_and_lose_half_of_what_exceeds_its_buffer) {
  SimulatedNetwork network(one_switch(4), Conditions::exact());
  Round round = lasting(2000 * kMillisecond);
  round.streams = {stream(0, 3, 500), stream(1, 3, 500)};
  round.fans = {{.from = 2,
                 .to = {3},
                 .at_ns = 300 * kMillisecond,
                 .duration_ns = 100 * kMillisecond,
                 .passes = 10}};
  const auto result = perform(network, round);
  const auto received = result.streams[0].received + result.streams[1].received;
  // 500 ms of sending, one frame leaves each millisecond, 21 whole frames fit 32 KiB.
  EXPECT_NEAR(received, 500 + 21, 2);
  EXPECT_EQ(result.streams[0].sent, 500U);
  // Between 20 and 21 frames are before a light datagram.
  EXPECT_EQ(result.fans[0][0].received, 10U);
  const auto wait = result.fans[0][0].least_delay_ns - 2 * kLightNs - kHostNs;
  EXPECT_GT(wait, 19.9 * kFullNs);
  EXPECT_LT(wait, 21.1 * kFullNs);
}

TEST(SimulatedNetwork, a_bus_is_shared_by_all_its_hosts_and_passed_once) {
  SimulatedTopology topology;
  topology.add_hosts(topology.add_bus("bus", kRate), 4);
  SimulatedNetwork network(topology, Conditions::exact());
  Round alone = lasting(20 * kMillisecond);
  alone.streams = {stream(0, 1, 1)};
  EXPECT_NEAR(static_cast<double>(perform(network, alone).streams[0].least_delay_ns),
              2 * kFullNs + kHostNs, kRoundingNs);
  Round both = lasting(400 * kMillisecond);
  both.streams = {stream(0, 1, 100), stream(2, 3, 100)};
  const auto result = perform(network, both);
  EXPECT_EQ(result.streams[0].received, 100U);
  EXPECT_EQ(result.streams[1].received, 100U);
  const auto last = std::max(result.streams[0].last_arrival_ns, result.streams[1].last_arrival_ns);
  EXPECT_NEAR(static_cast<double>(last), 201 * kFullNs, kFullNs / 10.0);
}

TEST(SimulatedNetwork, a_frame_from_outside_passes_the_bus_once) {
  SimulatedTopology topology;
  const auto node = topology.add_switch("s0", kRate, 32);
  const auto bus = topology.add_bus("bus", kRate);
  topology.add_hosts(node, 1);
  topology.add_hosts(bus, 1);
  topology.add_trunk(node, bus);
  SimulatedNetwork network(topology, Conditions::exact());
  Round round = lasting(50 * kMillisecond);
  round.streams = {stream(0, 1, 1), stream(1, 0, 1)};
  round.streams[1].at_ns = 20 * kMillisecond;
  const auto result = perform(network, round);
  // Interface, trunk, bus; and back: interface, bus, port.
  EXPECT_NEAR(static_cast<double>(result.streams[0].least_delay_ns), 3 * kFullNs + kHostNs, 50);
  EXPECT_NEAR(static_cast<double>(result.streams[1].least_delay_ns), 3 * kFullNs + kHostNs, 50);
}

TEST(SimulatedNetwork, a_shared_memory_is_emptied_by_whoever_uses_it) {
  auto topology = one_switch(6, 32);
  topology.nodes[0].shared_memory_bytes = 32 * 1024;
  SimulatedNetwork network(topology, Conditions::exact());
  Round round = lasting(1000 * kMillisecond);
  round.streams = {stream(0, 4, 200), stream(1, 5, 200), stream(2, 4, 200), stream(3, 5, 200)};
  const auto result = perform(network, round);
  const auto received = std::accumulate(
      result.streams.begin(), result.streams.end(), 0U,
      [](std::uint32_t sum, const StreamResult& one) { return sum + one.received; });
  // Both ports together keep 21 frames, not 21 each.
  EXPECT_NEAR(received, 2 * 200 + 21, 3);
}

TEST(SimulatedNetwork, blocking_sender_is_paced_by_its_interface_and_loses_nothing_there) {
  SimulatedNetwork network(one_switch(2), Conditions::exact());
  Round round = lasting(3000 * kMillisecond);
  round.streams = {stream(0, 1, 2000)};
  const auto seen = perform(network, round).streams[0];
  EXPECT_EQ(seen.received, 2000U);
  EXPECT_NEAR(static_cast<double>(seen.send_time_ns), 1996 * kFullNs, 2 * kFullNs);
  // Four frames in the interface, the blocked one before them, and the port.
  EXPECT_NEAR(static_cast<double>(seen.median_delay_ns), 6 * kFullNs, kFullNs / 10.0);
  EXPECT_EQ(seen.send_call_ns, 4000);
}

TEST(SimulatedNetwork, exchange_takes_both_ways_and_both_hosts) {
  SimulatedNetwork network(one_switch(2), Conditions::exact());
  Round round = lasting(200 * kMillisecond);
  round.exchanges = {{.from = 0, .to = 1, .count = 5, .there_bytes = 2 * 1472, .back_bytes = 1472}};
  const auto seen = perform(network, round).exchanges[0];
  ASSERT_EQ(seen.round_trips_ns.size(), 5U);
  EXPECT_EQ(seen.time_to_live, 64);
  // Two frames there overlap on their two hops: three frame times; two back.
  EXPECT_NEAR(static_cast<double>(seen.round_trips_ns[0]), 5 * kFullNs + 2 * (kHostNs + 3000), 50);
}

TEST(SimulatedNetwork, exchange_survives_a_lost_frame_and_counts_routers) {
  SimulatedTopology topology;
  const auto one = topology.add_switch("s0", kRate, 32);
  const auto other = topology.add_switch("s1", kRate, 32);
  topology.add_hosts(one, 1);
  topology.add_hosts(other, 1);
  auto& trunk = topology.add_trunk(one, other);
  trunk.routed = true;
  trunk.loss = 0.2;
  SimulatedNetwork network(topology, Conditions::exact());
  Round round = lasting(5000 * kMillisecond);
  round.exchanges = {{.from = 0, .to = 1, .count = 50}};
  const auto seen = perform(network, round).exchanges[0];
  EXPECT_NEAR(static_cast<double>(seen.round_trips_ns.size()), 50 * 0.64, 12);
  EXPECT_EQ(seen.time_to_live, 63);
}

TEST(SimulatedNetwork, multicast_reaches_everybody_once_but_not_through_a_switch_without_it) {
  SimulatedTopology topology;
  const auto core = topology.add_switch("core", kRate, 32);
  const auto leaf = topology.add_switch("leaf", kRate, 32);
  const auto silent = topology.add_switch("silent", kRate, 32);
  const auto bus = topology.add_bus("bus", kRate);
  for (const auto node : {leaf, silent, bus}) {
    topology.add_hosts(node, 2);
    topology.add_trunk(core, node);
  }
  topology.nodes[silent].multicast = false;
  SimulatedNetwork network(topology, Conditions::exact());
  Round round = lasting(200 * kMillisecond);
  round.multicasts = {{.from = 0, .count = 10},
                      {.from = 2, .at_ns = 50 * kMillisecond, .count = 10},
                      {.from = 4, .at_ns = 100 * kMillisecond, .count = 10}};
  const auto result = perform(network, round).multicasts;
  EXPECT_EQ(result[0].received, (std::vector<std::uint32_t>{0, 10, 0, 0, 10, 10}));
  EXPECT_EQ(result[1].received, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(result[2].received, (std::vector<std::uint32_t>{10, 10, 0, 0, 0, 10}));
}

TEST(SimulatedNetwork, a_queue_is_still_full_when_the_next_round_begins) {
  SimulatedNetwork network(one_switch(4), Conditions::exact());
  Round fill = lasting(60 * kMillisecond);
  fill.streams = {stream(0, 3, 60), stream(1, 3, 60)};
  perform(network, fill);
  Round look = lasting(50 * kMillisecond);
  look.fans = {{.from = 2, .to = {3}, .at_ns = 0, .passes = 1}};
  const auto seen = perform(network, look);
  // 21 frames at the end of the first round, 15.4 ms to begin the second.
  EXPECT_GT(seen.fans[0][0].least_delay_ns, 4 * kMillisecond);
}

TEST(SimulatedNetwork, says_who_died_and_counts_time_and_bytes) {
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

TEST(SimulatedNetwork, isolated_hosts_and_firewalled_pairs_get_nothing_through) {
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

TEST(SimulatedNetwork, refuses_rounds_that_name_what_is_not_there) {
  SimulatedNetwork network(one_switch(2), Conditions::exact());
  Round round = lasting(kMillisecond);
  round.streams = {stream(0, 2, 1)};
  EXPECT_EQ(network.perform(round).error().kind, ErrorKind::invalid_argument);
  round.streams.clear();
  round.network = 1;
  EXPECT_EQ(network.perform(round).error().kind, ErrorKind::invalid_argument);
}

// All that a noisy round shows, in one number.
std::int64_t fingerprint(std::uint64_t seed) {
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
  std::int64_t sum = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto result = perform(network, round);
    for (const auto& one : result.streams) {
      for (const auto& arrival : one.arrivals) sum = sum * 31 + arrival.delay_ns % 1'000'003;
      sum %= 1'000'000'007;
    }
    for (const auto& fan : result.fans) sum += fan[0].median_delay_ns + fan[1].least_delay_ns;
  }
  return sum;
}

TEST(SimulatedNetwork, one_seed_one_outcome) {
  EXPECT_EQ(fingerprint(7), fingerprint(7));
  EXPECT_NE(fingerprint(7), fingerprint(8));
}

TEST(SimulatedNetwork, wrong_samples_are_huge_and_as_many_as_asked_for) {
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
