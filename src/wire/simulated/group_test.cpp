// SPDX-License-Identifier: BSD-3-Clause
// Messages to several receivers at once over the simulated switch, which copies what is sent to
// all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "wire/simulated/broadcasts.h"

namespace quadrille::wire {
namespace {

// Of one that is not the first: by then all know that the group is there.
double broadcast_ms(std::uint32_t ends, std::size_t length, double rate_bit_s) {
  SimulatedNetwork network(of(ends, rate_bit_s));
  Broadcasts broadcasts(network, ends);
  broadcasts.start(ends / 2, 1);
  EXPECT_TRUE(broadcasts.run(milliseconds(10'000)));
  network.pass(milliseconds(20));
  const Nanoseconds began = network.now();
  broadcasts.start(ends / 2, length);
  EXPECT_TRUE(broadcasts.run(milliseconds(20'000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_EQ(network.overflows(), 0U);
  return ms(network.now() - began);
}

TEST(Group, is_told_once_by_the_sender_whatever_their_number) {
  for (const std::uint32_t ends : {2U, 3U, 8U, 16U}) {
    SimulatedNetwork network(of(ends));
    Broadcasts broadcasts(network, ends);
    broadcasts.start(1, 20'000);
    ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
    EXPECT_TRUE(broadcasts.right());
    EXPECT_EQ(network.endpoint(1).counters().data_sent, 14U) << ends;
    EXPECT_EQ(network.endpoint(1).counters().group_sent, 14U) << ends;
    EXPECT_EQ(network.endpoint(0).counters().group_received, 14U) << ends;
    EXPECT_EQ(network.overflows(), 0U);
  }
}

TEST(Group, takes_about_the_time_of_one_receiver) {
  EXPECT_LT(broadcast_ms(16, 20'000, 25e6), 1.15 * broadcast_ms(2, 20'000, 25e6));
  EXPECT_LT(broadcast_ms(16, 20'000, 25e6), 7.5);
}

TEST(Group, is_far_faster_than_a_tree_where_it_is_large) {
  // A binomial tree's depth of seven: each time the packets pass two links and the delay of one.
  constexpr double once_ms = 15 * (1472 + 66) * 8 / 100e6 * 1e3 + 0.02;
  EXPECT_LT(broadcast_ms(128, 20'000, 100e6), 7 * once_ms / 5);
}

TEST(Group, all_of_which_send_at_once_overflows_no_port_and_comes_near_the_limit) {
  constexpr std::uint32_t ends = 16;
  SimulatedNetwork network(of(ends));
  Broadcasts broadcasts(network, ends, ends);
  for (EndpointId root = 0; root < ends; ++root) broadcasts.start(root, 16'000);
  ASSERT_TRUE(broadcasts.run(milliseconds(5000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_EQ(network.overflows(), 0U);
  constexpr double limit_ms = 15 * 16'000 * 8 / 25e6 * 1e3;
  EXPECT_LT(ms(network.now()), limit_ms / 0.8);
}

std::uint64_t acks_of(SimulatedNetwork& network, EndpointId end) {
  return network.endpoint(end).counters().acks_sent;
}

TEST(Group, reports_small_messages_together) {
  SimulatedNetwork network(of(8));
  Broadcasts broadcasts(network, 8);
  broadcasts.start(1, 8);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  network.pass(milliseconds(20));
  const std::uint64_t before = acks_of(network, 0);
  constexpr std::int64_t many = 30;
  for (std::int64_t i = 0; i < many; ++i)
    broadcasts.start(1, 8, std::vector<Nanoseconds>(8, {i * 400'000}));
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  EXPECT_TRUE(broadcasts.right());
  network.pass(milliseconds(20));
  // With 4 packets ahead each third one's arrival is told, and the last ones'.
  EXPECT_LE(acks_of(network, 0) - before, many / 3U + 1);
  EXPECT_EQ(network.endpoint(1).counters().probes, 0U);
}

TEST(Group, reports_a_small_message_before_its_sender_asks) {
  SimulatedNetwork network(of(8));
  Broadcasts broadcasts(network, 8);
  broadcasts.start(1, 8);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  network.pass(milliseconds(20));
  const std::uint64_t before = acks_of(network, 0);
  broadcasts.start(1, 8);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  EXPECT_EQ(acks_of(network, 0), before);
  network.pass(milliseconds(3));
  EXPECT_EQ(acks_of(network, 0), before + 1);
  EXPECT_TRUE(network.endpoint(1).awaited().empty());
  network.pass(milliseconds(100));
  EXPECT_EQ(network.endpoint(1).counters().probes, 0U);
}

TEST(Group, keeps_its_sender_awake_only_for_messages_of_several_packets) {
  for (const std::size_t length : {8U, 20'000U}) {
    SimulatedNetwork network(of(4));
    Broadcasts broadcasts(network, 4);
    broadcasts.start(1, 8);
    ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
    network.pass(milliseconds(20));
    broadcasts.start(1, length);
    while (network.endpoint(1).counters().group_sent < 1 + packets_of(length, 1440))
      ASSERT_TRUE(network.run_once(milliseconds(1000)));
    EXPECT_EQ(network.endpoint(1).keeps_for_groups(), length > 1440) << length;
    ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
    network.pass(milliseconds(20));
    EXPECT_FALSE(network.endpoint(1).keeps_for_groups());
  }
}

TEST(Group, is_granted_a_message_whole_but_not_what_others_may_want) {
  SimulatedNetwork network(of(4));
  Broadcasts broadcasts(network, 4);
  broadcasts.start(1, 8);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  network.pass(milliseconds(20));
  const std::uint64_t before = acks_of(network, 0);
  broadcasts.start(1, 12 * 1440);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  network.pass(milliseconds(20));
  EXPECT_EQ(acks_of(network, 0) - before, 2U) << "the grant and the report";
  // The next one's sender is late; what another sends meanwhile, on a channel of its own, arrives.
  broadcasts.start(1, 20'000, {{}, milliseconds(2000), {}, {}});
  MessageBeside beside(network, 2, 0);
  network.at(network.now() + milliseconds(10), [&] { beside.start(); });
  network.pass(milliseconds(200));
  EXPECT_TRUE(beside.has_come());
  ASSERT_TRUE(broadcasts.run(milliseconds(5000)));
  EXPECT_TRUE(broadcasts.right());
}

TEST(Group, goes_on_without_who_is_late) {
  SimulatedNetwork network(of(5));
  Broadcasts broadcasts(network, 5);
  std::vector<Nanoseconds> late(5);
  late[3] = milliseconds(500);
  broadcasts.start(0, 20'000, late);
  while (network.now() < milliseconds(400) && network.run_once(milliseconds(400))) {
  }
  EXPECT_EQ(network.endpoint(1).counters().data_received, 14U);
  EXPECT_EQ(network.endpoint(3).counters().data_received, 0U);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_LT(ms(network.now()), 520);
}

TEST(Group, whose_members_take_no_common_datagrams_gets_all_of_it_all_the_same) {
  SimulatedNetwork network(of(6));
  for (const EndpointId deaf : {2U, 4U, 5U}) network.take_no_group_data(deaf);
  Broadcasts broadcasts(network, 6);
  for (EndpointId root = 0; root < 6; ++root) broadcasts.start(root, 30'000);
  ASSERT_TRUE(broadcasts.run(milliseconds(10'000)));
  EXPECT_TRUE(broadcasts.right());
}

// What each gets alone from then on is granted as it goes, and waits for no probe.
TEST(Group, whose_members_hear_nothing_for_long_is_served_one_by_one) {
  SimulatedNetwork network(of(6));
  Broadcasts broadcasts(network, 6);
  for (int call = 0; call < 10; ++call) broadcasts.start(0, 30'000);
  ASSERT_TRUE(broadcasts.run(milliseconds(10'000)));
  EXPECT_EQ(network.endpoint(0).unreached(), std::nullopt);
  for (const EndpointId deaf : {2U, 4U}) network.take_no_group_data(deaf);
  for (int call = 0; call < 60; ++call) broadcasts.start(0, 30'000);
  ASSERT_TRUE(broadcasts.run(milliseconds(10'000)));
  ASSERT_TRUE(network.endpoint(0).unreached().has_value());
  EXPECT_TRUE(*network.endpoint(0).unreached() == 2U || *network.endpoint(0).unreached() == 4U);
  const std::uint64_t sent_to_all = network.endpoint(0).counters().group_sent;
  const Nanoseconds began = network.now();
  for (int call = 0; call < 10; ++call) broadcasts.start(0, 30'000);
  ASSERT_TRUE(broadcasts.run(milliseconds(20'000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_EQ(network.endpoint(0).counters().group_sent, sent_to_all);
  constexpr double limit_ms = 10 * 5 * 30'000 * 8 / 25e6 * 1e3;
  EXPECT_LT(ms(network.now() - began), limit_ms / 0.8);
}

TEST(Group, is_not_given_up_where_much_is_lost_or_all_for_a_while) {
  SimulatedSettings settings = of(6);
  settings.loss = 0.3;
  SimulatedNetwork lossy(settings);
  Broadcasts some_arrive(lossy, 6);
  for (int call = 0; call < 30; ++call) some_arrive.start(0, 30'000);
  ASSERT_TRUE(some_arrive.run(milliseconds(60'000)));
  EXPECT_EQ(lossy.endpoint(0).unreached(), std::nullopt);

  SimulatedNetwork network(of(6));
  Broadcasts broadcasts(network, 6);
  for (int call = 0; call < 60; ++call) broadcasts.start(0, 60'000);
  network.pass(milliseconds(100));
  network.silence(3, true);
  network.pass(milliseconds(500));
  network.silence(3, false);
  network.poke(3);
  ASSERT_TRUE(broadcasts.run(milliseconds(20'000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_EQ(network.endpoint(0).unreached(), std::nullopt);
}

TEST(Group, is_sent_to_at_once_again_when_all_hear_it_again) {
  SimulatedNetwork network(of(6));
  Broadcasts broadcasts(network, 6);
  network.take_no_group_data(4);
  for (int call = 0; call < 60; ++call) broadcasts.start(0, 30'000);
  ASSERT_TRUE(broadcasts.run(milliseconds(20'000)));
  ASSERT_EQ(network.endpoint(0).unreached(), 4U);
  network.pass(milliseconds(10'000));
  EXPECT_EQ(network.endpoint(0).unreached(), 4U) << "probes are in vain";
  network.take_no_group_data(4, false);
  network.pass(milliseconds(20'000));
  EXPECT_EQ(network.endpoint(0).unreached(), std::nullopt);
  const EndpointCounters before = network.endpoint(0).counters();
  for (int call = 0; call < 10; ++call) broadcasts.start(0, 30'000);
  ASSERT_TRUE(broadcasts.run(milliseconds(60'000)));
  EXPECT_TRUE(broadcasts.right());
  const EndpointCounters after = network.endpoint(0).counters();
  EXPECT_EQ(after.data_sent - before.data_sent, after.group_sent - before.group_sent);
}

// What it had refused, and was to get alone, it had heard.
TEST(Group, is_not_given_up_where_a_member_comes_very_late_once) {
  SimulatedNetwork network(of(6));
  Broadcasts broadcasts(network, 6);
  broadcasts.start(0, 100);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  std::vector<Nanoseconds> late(6);
  late[3] = milliseconds(2000);
  for (int call = 0; call < 15; ++call) broadcasts.start(0, 60'000, late);
  ASSERT_TRUE(broadcasts.run(milliseconds(20'000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_GT(network.endpoint(0).counters().data_sent - network.endpoint(0).counters().group_sent,
            400U);
  EXPECT_EQ(network.endpoint(0).unreached(), std::nullopt);
}

TEST(Group, is_not_given_up_where_a_member_is_late_each_time) {
  SimulatedNetwork network(of(6));
  Broadcasts broadcasts(network, 6);
  for (int call = 0; call < 60; ++call) {
    std::vector<Nanoseconds> begins(6, milliseconds(400 * call));
    begins[3] += milliseconds(call == 0 ? 300 : 60);
    broadcasts.start(0, call % 2 == 0 ? 300'000 : 9'000, begins);
  }
  ASSERT_TRUE(broadcasts.run(milliseconds(60'000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_GT(network.endpoint(0).counters().data_sent,
            network.endpoint(0).counters().group_sent * 5 / 4);
  EXPECT_EQ(network.endpoint(0).unreached(), std::nullopt);
}

TEST(Group, repeats_what_several_miss_for_all_and_what_one_misses_for_it) {
  SimulatedNetwork one(of(6));
  one.take_no_group_data(4);
  Broadcasts missed_by_one(one, 6);
  missed_by_one.start(0, 20'000);
  ASSERT_TRUE(missed_by_one.run(milliseconds(5000)));
  EXPECT_EQ(one.endpoint(0).counters().group_sent, 14U);
  EXPECT_EQ(one.endpoint(0).counters().data_sent, 28U);
}

TEST(Group, members_of_another_group_drop_what_is_not_theirs) {
  SimulatedNetwork network(of(4));
  const std::vector<EndpointId> three{0, 1, 2};
  const std::vector<EndpointId> all{0, 1, 2, 3};
  const Message sent = message(5000, 3);
  std::vector<Message> received(8, Message(5000));
  Handle handle = 1;
  for (const EndpointId end : {1U, 2U})
    network.receive_from_group(end, 0, {three}, received[end], ++handle);
  network.receive_from_group(3, 0, {all}, received[3], ++handle);  // disagrees with its sender
  network.send_to_group(0, {three}, sent, ++handle);
  EXPECT_FALSE(network.run(milliseconds(3000)));
  EXPECT_EQ(network.incomplete(), 1U);
  EXPECT_EQ(received[1], sent);
  EXPECT_EQ(received[2], sent);
  EXPECT_EQ(network.endpoint(3).counters().data_received, 0U);
  EXPECT_GT(network.endpoint(3).counters().group_others, 0U);
}

TEST(Group, of_uneven_flows_is_served_one_by_one) {
  SimulatedNetwork network(of(4));
  const std::vector<EndpointId> three{0, 1, 2};
  const std::vector<EndpointId> all{0, 1, 2, 3};
  const Message first = message(9000, 1);
  const Message second = message(7000, 2);
  std::vector<Message> firsts(4, Message(9000));
  std::vector<Message> seconds(4, Message(7000));
  Handle handle = 1;
  for (const EndpointId end : {1U, 2U})
    network.receive_from_group(end, 0, {three}, firsts[end], ++handle);
  network.send_to_group(0, {three}, first, ++handle);
  ASSERT_TRUE(network.run(milliseconds(1000)));
  for (const EndpointId end : {1U, 2U, 3U})
    network.receive_from_group(end, 0, {all}, seconds[end], ++handle);
  network.send_to_group(0, {all}, second, ++handle);
  ASSERT_TRUE(network.run(milliseconds(2000)));
  EXPECT_EQ(firsts[1], first);
  for (const EndpointId end : {1U, 2U, 3U}) EXPECT_EQ(seconds[end], second) << end;
}

// As communicators come and go whose channel is the same.
TEST(Group, of_ever_other_members_on_one_channel_gets_what_is_its_own) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SimulatedSettings settings = of(5);
    settings.seed = seed;
    settings.loss = seed % 2 == 0 ? 0 : 0.03;
    SimulatedNetwork network(settings);
    std::mt19937 chance(static_cast<unsigned>(seed));
    Handle handle = 0;
    for (int round = 0; round < 25; ++round) {
      std::vector<EndpointId> members{0, 1, 2, 3, 4};
      std::ranges::shuffle(members, chance);
      members.resize(2 + chance() % 4);
      std::ranges::sort(members);
      const EndpointId root = members[chance() % members.size()];
      const Message sent = message(chance() % 3 == 0 ? 9000 : 12, static_cast<unsigned>(round));
      std::vector<Message> received(5, Message(sent.size()));
      for (const EndpointId end : members) {
        if (end == root) {
          network.send_to_group(end, {members}, sent, ++handle);
        } else {
          network.receive_from_group(end, root, {members}, received[end], ++handle);
        }
      }
      ASSERT_TRUE(network.run(network.now() + milliseconds(3000))) << seed << ", " << round;
      for (const EndpointId end : members) {
        if (end != root) {
          ASSERT_EQ(received[end], sent) << seed << ", " << round;
        }
      }
    }
  }
}

struct GroupTrouble {
  const char* name;
  double loss, duplication, reordering, corruption;
};
std::ostream& operator<<(std::ostream& out, const GroupTrouble& trouble) {
  return out << trouble.name;
}

class GroupInTrouble : public testing::TestWithParam<GroupTrouble> {};

TEST_P(GroupInTrouble, gets_everything_from_all_at_once) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint32_t ends = 2 + seed % 7;
    SimulatedSettings settings = of(ends);
    settings.loss = GetParam().loss;
    settings.duplication = GetParam().duplication;
    settings.reordering = GetParam().reordering;
    settings.corruption = GetParam().corruption;
    settings.seed = seed;
    SimulatedNetwork network(settings);
    Broadcasts broadcasts(network, ends, ends);
    for (std::uint32_t i = 0; i < 2 * ends; ++i) broadcasts.start(i % ends, 900U * seed);
    ASSERT_TRUE(broadcasts.run(milliseconds(60'000))) << "seed " << seed;
    EXPECT_TRUE(broadcasts.right()) << "seed " << seed;
  }
}

TEST_P(GroupInTrouble, gets_everything_from_roots_in_turn) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::uint32_t ends = 2 + seed % 7;
    SimulatedSettings settings = of(ends);
    settings.loss = GetParam().loss;
    settings.duplication = GetParam().duplication;
    settings.reordering = GetParam().reordering;
    settings.corruption = GetParam().corruption;
    settings.seed = seed;
    SimulatedNetwork network(settings);
    Broadcasts broadcasts(network, ends);
    std::mt19937 chance(static_cast<unsigned>(seed));
    std::vector<Nanoseconds> begins(ends);  // each end is later, or less late, from call to call
    for (std::uint32_t i = 0; i < 12; ++i) {
      for (Nanoseconds& time : begins) time += milliseconds(chance() % 12);
      const std::size_t length = i % 3 == 0 ? 100 : std::size_t{9000} * (chance() % 4);
      broadcasts.start(i % ends, length, begins);
    }
    ASSERT_TRUE(broadcasts.run(milliseconds(60'000))) << "seed " << seed;
    EXPECT_TRUE(broadcasts.right()) << "seed " << seed;
    EXPECT_EQ(network.mismatches(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, GroupInTrouble,
                         testing::Values(GroupTrouble{"none", 0, 0, 0, 0},
                                         GroupTrouble{"loss1", 0.01, 0, 0, 0},
                                         GroupTrouble{"loss30", 0.3, 0, 0, 0},
                                         GroupTrouble{"duplication", 0, 0.2, 0, 0},
                                         GroupTrouble{"reordering", 0, 0, 0.3, 0},
                                         GroupTrouble{"corruption", 0, 0, 0, 0.1},
                                         GroupTrouble{"all", 0.05, 0.05, 0.1, 0.02}),
                         [](const auto& info) { return info.param.name; });

// Each single packet of a transfer lost, whatever its kind.
TEST(Group, survives_the_loss_of_any_one_datagram) {
  for (std::uint64_t lost = 0; lost < 60; ++lost) {
    SimulatedNetwork network(of(4));
    network.lose_datagrams(lost);
    Broadcasts broadcasts(network, 4);
    broadcasts.start(2, 20'000);
    broadcasts.start(2, 100);
    ASSERT_TRUE(broadcasts.run(milliseconds(5000))) << lost;
    EXPECT_TRUE(broadcasts.right()) << lost;
    EXPECT_LT(ms(network.now()), 200) << lost;
  }
}

}  // namespace
}  // namespace quadrille::wire
