// SPDX-License-Identifier: BSD-3-Clause
// Long messages to several receivers as runs of packets.
#include <gtest/gtest.h>

#include <vector>

#include "wire/simulated/broadcasts.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t kLength = 1 << 20;  // 729 packets

SimulatedSettings fast_group(std::uint32_t ends) {
  SimulatedSettings settings = of(ends, 25e9);
  settings.latency = Nanoseconds{5'000};
  settings.buffer_bytes = 1024 * 1024;
  settings.most_budget = 400;
  settings.runs = true;
  return settings;
}

TEST(GroupRun, a_long_message_leaves_in_runs_once_for_all) {
  SimulatedNetwork network(fast_group(5));
  Broadcasts broadcasts(network, 5);
  broadcasts.start(2, kLength);
  ASSERT_TRUE(broadcasts.run(milliseconds(100)));  // budgets have grown
  const EndpointCounters before = network.endpoint(2).counters();
  const Nanoseconds began = network.now();
  broadcasts.start(2, kLength);
  ASSERT_TRUE(broadcasts.run(milliseconds(200)));
  EXPECT_TRUE(broadcasts.right());
  const EndpointCounters& root = network.endpoint(2).counters();
  EXPECT_EQ(root.data_sent, 2U * 729);
  EXPECT_EQ(root.group_sent, 2U * 729);
  EXPECT_GE(root.runs_sent - before.runs_sent, 729 / longest_run);
  EXPECT_LE(root.runs_sent - before.runs_sent, 729 / longest_run + 20);
  EXPECT_EQ(network.endpoint(0).counters().group_received, 2U * 729);
  EXPECT_LT(ms(network.now() - began), 0.6) << "its payload alone takes 0.34 ms";
}

TEST(GroupRun, is_none_where_budgets_stay) {
  SimulatedSettings settings = fast_group(4);
  settings.most_budget = 0;
  SimulatedNetwork network(settings);
  Broadcasts broadcasts(network, 4);
  broadcasts.start(1, kLength);
  ASSERT_TRUE(broadcasts.run(milliseconds(100)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_EQ(network.endpoint(1).counters().runs_sent, 0U);
}

TEST(GroupRun, messages_of_all_lengths_around_a_packets_arrive) {
  SimulatedNetwork network(fast_group(3));
  Broadcasts broadcasts(network, 3);
  for (std::size_t packets = 7; packets <= 90; packets += packets < 10 ? 1 : 20) {
    for (const std::ptrdiff_t more : {-1441, -1, 0, 1, 700})
      broadcasts.start(
          1, static_cast<std::size_t>(static_cast<std::ptrdiff_t>(packets * 1440) + more));
  }
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_GT(network.endpoint(1).counters().runs_sent, 0U);
  for (const EndpointId end : {0U, 2U}) EXPECT_EQ(network.endpoint(end).counters().forged, 0U);
}

TEST(GroupRun, all_of_which_send_at_once_get_all) {
  SimulatedNetwork network(fast_group(4));
  Broadcasts broadcasts(network, 4, 4);
  for (int round = 0; round < 3; ++round) {
    for (EndpointId root = 0; root < 4; ++root) broadcasts.start(root, kLength);
  }
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_GT(network.endpoint(1).counters().runs_sent, 0U);
}

TEST(GroupRun, arrives_whole_over_a_network_that_loses_alters_repeats_and_reorders) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedSettings settings = fast_group(4);
    settings.seed = seed;
    settings.loss = seed % 2 == 0 ? 0.002 : 0.05;
    settings.duplication = settings.reordering = settings.corruption = 0.01;
    settings.held_back = Nanoseconds{50'000};
    SimulatedNetwork network(settings);
    for (EndpointId end = 0; end < 4; ++end) {
      for (int i = 0; i < 10; ++i)
        network.budget(end).drained_half_in(Nanoseconds{10'000}, network.now());
    }
    Broadcasts broadcasts(network, 4);
    for (const EndpointId root : {1U, 0U, 1U}) broadcasts.start(root, kLength / 2);
    EXPECT_TRUE(broadcasts.run(milliseconds(20'000))) << seed;
    EXPECT_TRUE(broadcasts.right()) << seed;
    EXPECT_GT(network.endpoint(1).counters().runs_sent, 0U) << seed;
  }
}

TEST(GroupRun, of_which_one_receiver_missed_a_datagram_goes_to_it_alone) {
  SimulatedNetwork network(fast_group(4));
  Broadcasts broadcasts(network, 4);
  broadcasts.start(1, kLength);
  ASSERT_TRUE(broadcasts.run(milliseconds(100)));
  EXPECT_EQ(network.endpoint(1).counters().data_resent, 0U);
  network.lose_datagrams(network.travelled() + 200);
  broadcasts.start(1, kLength);
  ASSERT_TRUE(broadcasts.run(milliseconds(200)));
  EXPECT_TRUE(broadcasts.right());
  const EndpointCounters& root = network.endpoint(1).counters();
  EXPECT_EQ(root.data_resent, 1U);
  EXPECT_EQ(root.group_sent, 2U * 729);
  EXPECT_EQ(root.data_sent, root.group_sent + root.data_resent);
}

TEST(GroupRun, that_comes_again_or_was_altered_changes_nothing) {
  SimulatedNetwork network(fast_group(3));
  network.record(2);
  Broadcasts broadcasts(network, 3);
  broadcasts.start(1, kLength);
  ASSERT_TRUE(broadcasts.run(milliseconds(100)));
  const EndpointCounters before = network.endpoint(2).counters();
  const auto recording = network.recording();
  for (const auto& datagram : recording) network.inject(2, datagram);
  for (auto datagram : recording) {
    datagram[datagram.size() - 30] ^= std::byte{1};
    network.inject(2, datagram);
  }
  const EndpointCounters& after = network.endpoint(2).counters();
  EXPECT_EQ(after.bytes_received, before.bytes_received);
  EXPECT_GT(after.group_others, before.group_others) << "tags are wrong";
  broadcasts.start(1, kLength);
  ASSERT_TRUE(broadcasts.run(milliseconds(200)));
  EXPECT_TRUE(broadcasts.right()) << "it goes on afterwards";
}

}  // namespace
}  // namespace quadrille::wire
