// SPDX-License-Identifier: BSD-3-Clause
#include "wire/simulated/simulated_ports.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "wire/links/link.h"
#include "wire/simulated/messages.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

constexpr double gigabit = 1e9;
constexpr std::size_t frame = 1500 + framing_bytes;

// Leaves 0, 1 and so on, and the spine behind them.
std::vector<SimulatedTrunk> leaf_trunks(std::uint32_t leaves, std::uint32_t ways, double bit_s) {
  std::vector<SimulatedTrunk> trunks;
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
    trunks.push_back({.first = leaf,
                      .second = leaves,
                      .ways = ways,
                      .forward_bit_s = bit_s,
                      .backward_bit_s = bit_s,
                      .forward_buffer_bytes = 65'536,
                      .backward_buffer_bytes = 65'536,
                      .latency = Nanoseconds{1000}});
  return trunks;
}

SimulatedSettings leaf_spine(std::uint32_t leaves, std::uint32_t hosts_of_leaf) {
  SimulatedSettings settings;
  settings.endpoints = leaves * hosts_of_leaf;
  settings.switches = leaves + 1;
  settings.trunks = leaf_trunks(leaves, 2, gigabit);
  settings.endpoint.limits.group_ahead = 4;
  for (std::uint32_t host = 0; host < settings.endpoints; ++host)
    settings.hosts.push_back(
        {.at_switch = host / hosts_of_leaf, .budget = 16, .endpoint = settings.endpoint});
  return settings;
}

TEST(SimulatedPort, holds_what_fits_and_carries_one_at_a_time) {
  SimulatedPort port(gigabit, 2 * frame);
  ASSERT_TRUE(port.has_room(1500, {{0}, 1}));
  const Nanoseconds first = port.take(1500, {0}, 2);
  EXPECT_EQ(first, port.time_of(1500));
  ASSERT_TRUE(port.has_room(1500, {{0}, 3}));
  EXPECT_EQ(port.take(1500, {0}, 4), first + first);
  EXPECT_FALSE(port.has_room(1500, {{0}, 5}));
  EXPECT_EQ(port.dropped(), 1U);
  EXPECT_TRUE(port.has_room(1500, {first, 6}));
  EXPECT_EQ(port.carried_bytes(), 2 * frame);
  EXPECT_EQ(port.most_queued(), 2 * frame);
}

TEST(SimulatedPort, has_room_only_after_the_event_at_which_one_has_left) {
  SimulatedPort port(gigabit, frame);
  ASSERT_TRUE(port.has_room(1500, {{0}, 1}));
  const Nanoseconds left = port.take(1500, {0}, 7);
  EXPECT_FALSE(port.has_room(1500, {left, 6}));
  EXPECT_TRUE(port.has_room(1500, {left, 8}));
}

TEST(SimulatedTree, leads_from_leaf_to_leaf_by_the_spine) {
  const auto trunks = leaf_trunks(3, 2, gigabit);
  const SimulatedTree tree(4, trunks);
  EXPECT_TRUE(tree.way(1, 1).empty());
  const auto way = tree.way(0, 2);
  ASSERT_EQ(way.size(), 2U);
  EXPECT_EQ(tree.link(way[0]).from, 0U);
  EXPECT_EQ(tree.link(way[0]).to, 3U);
  EXPECT_EQ(tree.link(way[1]).from, 3U);
  EXPECT_EQ(tree.link(way[1]).to, 2U);
  EXPECT_EQ(tree.way(0, 3).size(), 1U);
  EXPECT_EQ(tree.links_of(3).size(), 3U);
}

TEST(SimulatedTree, takes_one_of_the_ports_side_by_side_by_the_flow) {
  const auto trunks = leaf_trunks(2, 4, gigabit);
  SimulatedTree tree(3, trunks);
  const SimulatedLink& link = tree.link(tree.way(0, 1)[0]);
  std::set<SimulatedPort*> ports;
  for (std::uint32_t flow = 0; flow < 16; ++flow) ports.insert(&tree.port(link, flow));
  EXPECT_EQ(ports.size(), 4U);
  EXPECT_EQ(&tree.port(link, 5), &tree.port(link, 5));
}

TEST(SimulatedNetwork, carries_messages_between_leaves_and_inside_them) {
  SimulatedNetwork network(leaf_spine(3, 2));
  Handle handle = 0;
  std::vector<Message> sent;
  std::vector<Message> received(36, Message(20'000));
  for (std::uint32_t i = 0; i < 36; ++i) sent.push_back(message(20'000, i));
  for (EndpointId from = 0; from < 6; ++from) {
    for (EndpointId to = 0; to < 6; ++to) {
      if (from == to) continue;
      network.receive(to, from, received[from * 6 + to], ++handle);
      network.send(from, to, sent[from * 6 + to], ++handle);
    }
  }
  ASSERT_TRUE(network.run({1'000'000'000}));
  for (EndpointId from = 0; from < 6; ++from) {
    for (EndpointId to = 0; to < 6; ++to) {
      if (from == to) continue;
      EXPECT_EQ(received[from * 6 + to], sent[from * 6 + to]);
    }
  }
  // What stays at its leaf has passed no trunk.
  std::uint64_t by_trunks = 0;
  for (const SimulatedPort& port : network.tree().ports()) by_trunks += port.carried_bytes();
  EXPECT_GT(by_trunks, 2U * 24 * 20'000);
  EXPECT_LT(by_trunks, 2U * 24 * 20'000 * 5 / 4);
}

TEST(SimulatedNetwork, passes_a_trunk_once_with_what_goes_to_a_group) {
  SimulatedNetwork network(leaf_spine(3, 4));
  std::vector<EndpointId> all(12);
  for (EndpointId id = 0; id < 12; ++id) all[id] = id;
  const Message sent = message(14'000, 1);
  std::vector<Message> received(12, Message(14'000));
  for (const bool again : {false, true}) {
    std::uint64_t before = 0;
    for (const SimulatedPort& port : network.tree().ports()) before += port.carried_bytes();
    for (EndpointId to = 1; to < 12; ++to)
      network.receive_from_group(to, 0, {all}, received[to], 100 * (again ? 1 : 0) + to);
    network.send_to_group(0, {all}, sent, 100 * (again ? 1 : 0) + 50);
    ASSERT_TRUE(network.run({network.now() + Nanoseconds{1'000'000'000}}));
    for (EndpointId to = 1; to < 12; ++to) EXPECT_EQ(received[to], sent);
    network.pass({50'000'000});
    if (!again) continue;
    std::uint64_t after = 0;
    for (const SimulatedPort& port : network.tree().ports()) after += port.carried_bytes();
    // Up from one leaf and down to two others, and the reports of eight hosts by two trunks each.
    EXPECT_LT(after - before, 3U * 14'000 * 3 / 2);
  }
}

TEST(SimulatedNetwork, gives_back_what_a_full_trunk_has_dropped) {
  SimulatedSettings settings = leaf_spine(2, 4);
  settings.trunks = leaf_trunks(2, 1, gigabit / 8);
  for (SimulatedTrunk& trunk : settings.trunks) trunk.forward_buffer_bytes = 8 * frame;
  SimulatedNetwork network(settings);
  const Message sent = message(200'000, 1);
  std::vector<Message> received(4, Message(200'000));
  for (EndpointId i = 0; i < 4; ++i) {
    network.receive(4 + i, i, received[i], 10 + i);
    network.send(i, 4 + i, sent, 20 + i);
  }
  ASSERT_TRUE(network.run({10'000'000'000}));
  for (const Message& one : received) EXPECT_EQ(one, sent);
  EXPECT_GT(network.overflows(), 0U);
}

TEST(SimulatedNetwork, has_processors_that_take_time_for_datagrams_and_drop_what_they_cannot_keep) {
  Nanoseconds took[2];
  for (const bool slow : {false, true}) {
    SimulatedSettings settings;
    settings.endpoints = 9;
    settings.budget = 64;
    settings.buffer_bytes = 1 << 20;
    settings.endpoint.limits.unscheduled = 1400;
    if (slow)
      settings.processor = {.send_call = {1000},
                            .send_packet = {1000},
                            .receive_call = {1000},
                            .receive_packet = {50'000},
                            .socket_datagrams = 4};
    SimulatedNetwork network(settings);
    const Message sent = message(1000, 1);
    std::vector<Message> received(9, Message(1000));
    for (EndpointId from = 1; from < 9; ++from) {
      network.receive(0, from, received[from], from);
      network.send(from, 0, sent, 10);
    }
    ASSERT_TRUE(network.run({10'000'000'000}));
    took[slow ? 1 : 0] = network.now();
    for (EndpointId from = 1; from < 9; ++from) EXPECT_EQ(received[from], sent);
    EXPECT_EQ(network.lost_at_sockets() > 0, slow);
  }
  EXPECT_GT(took[1], took[0] + Nanoseconds{8 * 50'000});
}

TEST(SimulatedNetwork, lets_an_endpoint_send_only_when_its_processor_is_free) {
  SimulatedSettings settings;
  settings.processor = {.receive_call = {1}, .receive_packet = {1}};
  SimulatedNetwork network(settings);
  const Message sent = message(1000, 1);
  Message received(1000);
  network.occupy(0, {5'000'000});
  network.receive(1, 0, received, 1);
  network.send(0, 1, sent, 1);
  ASSERT_TRUE(network.run({1'000'000'000}));
  EXPECT_GT(network.now(), Nanoseconds{5'000'000});
}

}  // namespace
}  // namespace quadrille::wire
