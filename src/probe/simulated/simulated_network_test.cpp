// SPDX-License-Identifier: BSD-3-Clause
// Rounds on simulated networks against delays, losses and rates computed by hand.
#include "probe/simulated/simulated_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "probe/simulated/hand_computed.h"

namespace quadrille::probe {
namespace {

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

TEST(SimulatedNetwork, a_round_begins_when_the_queues_are_empty) {
  SimulatedNetwork network(one_switch(4), Conditions::exact());
  Round fill = lasting(60 * kMillisecond);
  fill.streams = {stream(0, 3, 60), stream(1, 3, 60)};
  perform(network, lasting(fill.duration_ns));
  const std::int64_t empty_round_ns = network.elapsed_ns();
  const auto filled = perform(network, fill);
  // 21 frames are left at the end of the round.
  EXPECT_NEAR(static_cast<double>(network.elapsed_ns() - 2 * empty_round_ns), 21 * kFullNs,
              kFullNs);
  EXPECT_LT(filled.streams[0].last_arrival_ns, fill.duration_ns) << "what comes after it is unseen";
  Round look = lasting(50 * kMillisecond);
  look.fans = {{.from = 2, .to = {3}, .at_ns = 0, .passes = 1}};
  EXPECT_LT(perform(network, look).fans[0][0].least_delay_ns, kMillisecond);
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

}  // namespace
}  // namespace quadrille::probe
