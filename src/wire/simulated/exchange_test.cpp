// SPDX-License-Identifier: BSD-3-Clause
// Whole exchanges over the simulated switch: what is promised of the wire, in figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <vector>

#include "wire/simulated/exchange.h"
#include "wire/simulated/messages.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

SimulatedSettings lab16() {
  SimulatedSettings settings;
  settings.endpoints = 16;
  settings.rate_bit_s = 25e6;
  settings.buffer_bytes = 32 * 1024;
  settings.budget = 16;
  return settings;
}

constexpr Nanoseconds seconds(std::int64_t count) { return {count * 1'000'000'000}; }

// Bytes a pair; the least share of the link for them. Framing leaves 94 % where packets are full.
struct Size {
  std::size_t bytes;
  double share;
};

class ExchangeOfSize : public testing::TestWithParam<Size> {};

TEST_P(ExchangeOfSize, overflows_no_switch_and_comes_near_the_limit) {
  const auto [bytes, share] = GetParam();
  SimulatedNetwork network(lab16());
  Exchange exchange(network, 16, bytes);
  exchange.enter_all();
  ASSERT_TRUE(network.run(seconds(60)));
  EXPECT_TRUE(exchange.right());
  EXPECT_EQ(network.overflows(), 0U);
  EXPECT_GT(15.0 * static_cast<double>(bytes) * 8 / 25e6 * 1e3 / ms(network.now()), share);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ExchangeOfSize,
                         testing::Values(Size{1024, 0.6}, Size{4096, 0.8}, Size{8192, 0.86},
                                         Size{32'768, 0.9}, Size{131'072, 0.9}),
                         [](const auto& info) { return std::to_string(info.param.bytes); });

// Links and ports of today's switches; the first exchange lets budgets grow.
TEST(Exchange, of_many_hosts_at_25_gbit_s_comes_near_the_limit_and_overflows_nothing) {
  SimulatedSettings settings;
  settings.endpoints = 32;
  settings.rate_bit_s = 25e9;
  settings.latency = Nanoseconds{2'000};
  settings.buffer_bytes = 256 * 1024;
  settings.most_budget = 1000;
  settings.runs = true;
  SimulatedNetwork network(settings);
  Exchange exchange(network, 32, 65'536);
  exchange.enter_all();
  ASSERT_TRUE(network.run(seconds(1)));
  exchange.begin_anew();
  const Nanoseconds began = network.now();
  exchange.enter_all();
  ASSERT_TRUE(network.run(seconds(2)));
  EXPECT_TRUE(exchange.right());
  EXPECT_EQ(network.overflows(), 0U);
  EXPECT_GT(31.0 * 65'536 * 8 / 25e9 * 1e3 / ms(network.now() - began), 0.92);
  const EndpointCounters& counters = network.endpoint(7).counters();
  EXPECT_LT(counters.data_sent, 25 * counters.runs_sent) << "most leave in runs";
}

TEST(Exchange, tells_by_its_data_what_has_arrived_and_is_granted) {
  SimulatedNetwork network(lab16());
  Exchange exchange(network, 16, 32'768);
  exchange.enter_all();
  ASSERT_TRUE(network.run(seconds(60)));
  const EndpointCounters& counters = network.endpoint(7).counters();
  EXPECT_LT(counters.acks_sent, counters.data_sent / 4);
}

TEST(Exchange, of_short_messages_says_little_beside_its_data) {
  SimulatedNetwork network(lab16());
  Exchange exchange(network, 16, 8192);
  exchange.enter_all();
  ASSERT_TRUE(network.run(seconds(60)));
  std::uint64_t acks = 0;
  for (EndpointId id = 0; id < 16; ++id) acks += network.endpoint(id).counters().acks_sent;
  EXPECT_LT(acks, 2 * 16U * 15U) << "an announcement for two messages, a grant, an end";
}

TEST(Exchange, of_short_messages_loses_little_where_ranks_come_one_after_the_other) {
  SimulatedNetwork network(lab16());
  Exchange exchange(network, 16, 8192);
  for (EndpointId rank = 0; rank < 16; ++rank)
    network.at({rank * 5'000'000LL / 15}, [&exchange, rank] { exchange.enter(rank); });
  network.pass({5'000'000});
  ASSERT_TRUE(network.run(seconds(60)));
  EXPECT_TRUE(exchange.right());
  EXPECT_EQ(network.overflows(), 0U);
  EXPECT_LT(ms(network.now()), 5 + 39.3 / 0.8) << "the last comes after 5 ms";
}

// As the ranks of an exchange do that is ordered inside their hosts first.
TEST(Exchange, a_short_message_does_not_wait_for_one_that_comes_back_later) {
  SimulatedSettings settings = lab16();
  settings.endpoints = 2;
  for (EndpointId first = 0; first < 2; ++first) {
    const EndpointId second = 1 - first;
    SimulatedNetwork network(settings);
    const Message there = message(5000, 1);
    const Message back = message(5000, 2);
    Message into_there(5000);
    Message into_back(5000);
    network.receive(first, second, into_back, 1);
    network.send(first, second, there, 2);
    network.receive(second, first, into_there, 3);
    EXPECT_FALSE(network.run(seconds(1)));
    EXPECT_EQ(into_there, there) << "what is to come back has not even begun";
    network.send(second, first, back, 4);
    EXPECT_TRUE(network.run(seconds(2)));
    EXPECT_EQ(into_back, back);
  }
}

struct Trouble {
  const char* name;
  double loss, duplication, reordering, corruption;
};
std::ostream& operator<<(std::ostream& out, const Trouble& trouble) { return out << trouble.name; }

class ExchangeInTrouble : public testing::TestWithParam<Trouble> {};

TEST_P(ExchangeInTrouble, is_complete_and_right) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint32_t ends = 7 + seed % 2;  // in a ring and in pairs
    SimulatedSettings settings = lab16();
    settings.endpoints = ends;
    settings.loss = GetParam().loss;
    settings.duplication = GetParam().duplication;
    settings.reordering = GetParam().reordering;
    settings.corruption = GetParam().corruption;
    settings.endpoint.limits.unscheduled = 1000;
    settings.seed = seed;
    SimulatedNetwork network(settings);
    Exchange small(network, ends, 800);
    Exchange large(network, ends, 20'000);
    Exchange empty(network, ends, 0);
    small.enter_all();
    large.enter_all();
    empty.enter_all();
    ASSERT_TRUE(network.run(seconds(300))) << "seed " << seed << ", " << network.incomplete();
    EXPECT_TRUE(small.right() && large.right()) << "seed " << seed;
    EXPECT_EQ(network.mismatches(), 0U);
    for (EndpointId id = 0; id < ends; ++id) {
      const auto& counters = network.endpoint(id).counters();
      EXPECT_EQ(counters.bytes_received, (ends - 1) * 20'800U);
      EXPECT_EQ(counters.forged + counters.malformed > 0, GetParam().corruption > 0);
      EXPECT_EQ(network.budget(id).taken(), 0U) << "all that was taken was given back";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Troubles, ExchangeInTrouble,
    testing::Values(Trouble{"loss_1", 0.01, 0, 0, 0}, Trouble{"loss_10", 0.1, 0, 0, 0},
                    Trouble{"loss_30", 0.3, 0, 0, 0}, Trouble{"copies", 0, 0.2, 0, 0},
                    Trouble{"disorder", 0, 0, 0.3, 0}, Trouble{"damage", 0, 0, 0, 0.1},
                    Trouble{"everything", 0.1, 0.1, 0.1, 0.1}),
    [](const auto& info) { return info.param.name; });

TEST(Exchange, takes_little_longer_where_one_packet_in_a_hundred_is_lost) {
  SimulatedSettings settings = lab16();
  SimulatedNetwork whole(settings);
  Exchange lossless(whole, 16, 32'768);
  lossless.enter_all();
  ASSERT_TRUE(whole.run(seconds(60)));
  settings.loss = 0.01;
  settings.endpoint.times.first = {21'000'000};  // twice the buffer at this rate
  std::vector<double> ratios;
  for (settings.seed = 1; settings.seed <= 15; ++settings.seed) {
    SimulatedNetwork network(settings);
    Exchange exchange(network, 16, 32'768);
    exchange.enter_all();
    ASSERT_TRUE(network.run(seconds(60)));
    EXPECT_TRUE(exchange.right());
    ratios.push_back(ms(network.now()) / ms(whole.now()));
  }
  std::ranges::sort(ratios);
  EXPECT_LT(ratios[7], 1.3);
  EXPECT_LT(ratios[14], 1.5);
}

TEST(Exchange, waits_for_a_late_rank_with_all_else_done) {
  for (const std::size_t bytes : {8192U, 32'768U}) {
    SimulatedNetwork network(lab16());
    Exchange exchange(network, 16, bytes);
    for (EndpointId rank = 1; rank < 16; ++rank) exchange.enter(rank);
    network.at(seconds(1), [&] {
      // 15 messages each way with the late rank are all that is left, at both ends.
      EXPECT_EQ(network.incomplete(), 15U * 2);
      exchange.enter(0);
    });
    ASSERT_TRUE(network.run(seconds(60)));
    EXPECT_TRUE(exchange.right());
    EXPECT_EQ(network.overflows(), 0U);
    const double limit = 15.0 * static_cast<double>(bytes) * 8 / 25e6 * 1e3;
    EXPECT_LT(ms(network.now()), 1000 + limit / 0.84);
  }
}

TEST(Exchange, of_one_that_sends_or_receives_all_comes_near_the_limit_of_its_port) {
  for (const bool sends : {false, true}) {
    for (const std::size_t bytes : {8192U, 262'144U}) {
      SimulatedNetwork network(lab16());
      const Message block = message(bytes, 1);
      std::vector<Message> into(16, Message(bytes));
      Handle handle = 1;
      for (EndpointId other = 1; other < 16; ++other) {
        network.receive(sends ? other : 0, sends ? 0 : other, into[other], handle++);
        network.send(sends ? 0 : other, sends ? other : 0, block, handle++);
      }
      ASSERT_TRUE(network.run(seconds(60)));
      for (EndpointId other = 1; other < 16; ++other) EXPECT_EQ(into[other], block);
      EXPECT_EQ(network.overflows(), 0U);
      EXPECT_GT(15.0 * static_cast<double>(bytes) * 8 / 25e6 * 1e3 / ms(network.now()), 0.9)
          << bytes << (sends ? " from one" : " to one");
    }
  }
}

TEST(Exchange, survives_an_hour_in_which_nothing_ran) {
  SimulatedNetwork network(lab16());
  Exchange exchange(network, 16, 8192);
  exchange.enter_all();
  for (EndpointId rank = 0; rank < 16; ++rank) {
    network.at({5'000'000}, [&network, rank] { network.silence(rank, true); });
    network.at(seconds(3600), [&network, rank] {
      network.silence(rank, false);
      network.poke(rank);
    });
  }
  ASSERT_TRUE(network.run(seconds(3700)));
  EXPECT_TRUE(exchange.right());
}

TEST(Exchange, says_whom_it_waits_for_and_who_does_not_answer) {
  SimulatedNetwork network(lab16());
  Exchange exchange(network, 16, 8192);
  network.silence(3, true);
  for (EndpointId rank = 0; rank < 16; ++rank) {
    if (rank != 3 && rank != 5) exchange.enter(rank);
  }
  EXPECT_FALSE(network.run(seconds(10)));
  const auto awaited = network.endpoint(0).awaited();
  ASSERT_EQ(awaited.size(), 2U);
  EXPECT_EQ(awaited[0].first, 3U);
  EXPECT_GE(awaited[0].second, 5U) << "probes without an answer";
  EXPECT_EQ(awaited[1].first, 5U);
  EXPECT_LE(awaited[1].second, 1U) << "it is late, and its end answers";
}

TEST(Exchange, answers_no_packet_that_was_sent_by_others_or_before) {
  SimulatedSettings settings = lab16();
  settings.endpoints = 2;
  SimulatedNetwork network(settings);
  network.record(1);
  Exchange exchange(network, 2, 30'000);
  exchange.enter_all();
  ASSERT_TRUE(network.run(seconds(10)));
  const auto before = network.endpoint(1).counters();
  const auto recording = network.recording();
  ASSERT_GT(recording.size(), 20U);
  for (auto datagram : recording) {
    network.inject(1, datagram);
    datagram[datagram.size() / 2] ^= std::byte{1};
    network.inject(1, datagram);
    datagram.resize(datagram.size() / 2);
    network.inject(1, datagram);
    datagram.assign(3000, std::byte{0x40});
    network.inject(1, datagram);
  }
  std::vector<std::byte> room(network.endpoint(1).largest_datagram());
  EXPECT_FALSE(network.endpoint(1).next_datagram(room, network.now()));
  const auto& after = network.endpoint(1).counters();
  EXPECT_EQ(after.bytes_received, before.bytes_received);
  EXPECT_GE(after.forged, recording.size());
  EXPECT_GT(after.duplicates, 0U);
}

TEST(Exchange, channels_do_not_wait_for_each_other) {
  SimulatedSettings settings = lab16();
  settings.endpoints = 2;
  SimulatedNetwork network(settings);
  const Message one = message(20'000, 1);
  const Message two = message(20'000, 2);
  Message into_one(20'000);
  Message into_two(20'000);
  network.send(0, 1, one, 1, 1);
  network.send(0, 1, two, 2, 2);
  network.receive(1, 0, into_two, 3, 2);
  EXPECT_FALSE(network.run(seconds(5)));
  EXPECT_EQ(into_two, two);
  network.receive(1, 0, into_one, 4, 1);
  EXPECT_TRUE(network.run(seconds(10)));
  EXPECT_EQ(into_one, one);
}

TEST(Exchange, partners_that_freeze_with_grants_hold_up_nobody_for_long) {
  SimulatedNetwork network(lab16());
  Exchange exchange(network, 16, 32'768);
  exchange.enter_all();
  for (EndpointId rank = 12; rank < 16; ++rank)
    network.at({20'000'000}, [&network, rank] { network.silence(rank, true); });
  network.run(seconds(20));
  for (EndpointId rank = 0; rank < 12; ++rank) {
    for (const auto& [peer, probes] : network.endpoint(rank).awaited())
      EXPECT_GE(peer, 12U) << "between the twelve all is done";
  }
}

TEST(Exchange, small_messages_wait_for_a_late_receiver_without_a_flood) {
  SimulatedSettings settings = lab16();
  settings.endpoints = 2;
  settings.endpoint.limits.unscheduled = 1000;
  SimulatedNetwork network(settings);
  const Message sent = message(100, 3);
  std::vector<Message> into(12, Message(100));
  for (Handle i = 0; i < 12; ++i) network.send(0, 1, sent, i + 1);
  EXPECT_FALSE(network.run(seconds(60)));
  EXPECT_LT(network.endpoint(0).counters().data_sent, 20U);
  EXPECT_LT(network.endpoint(0).counters().probes, 70U) << "one a second";
  for (Handle i = 0; i < 12; ++i) network.receive(1, 0, into[i], 10 + i);
  EXPECT_TRUE(network.run(seconds(70)));
  for (const Message& message : into) EXPECT_EQ(message, sent);
  EXPECT_EQ(network.endpoint(1).counters().losses, 0U);
}

TEST(Exchange, a_channel_that_was_abandoned_touches_no_memory_and_holds_no_credit) {
  SimulatedSettings settings = lab16();
  settings.endpoints = 2;
  SimulatedNetwork network(settings);
  const Message sent = message(50'000, 1);
  Message into(50'000);
  network.send(0, 1, sent, 1, 5);
  network.receive(1, 0, into, 2, 5);
  network.at({5'000'000}, [&] {
    network.endpoint(1).abandon(5);
    std::ranges::fill(into, std::byte{0});
    EXPECT_EQ(network.budget(1).taken(), 0U);
  });
  EXPECT_FALSE(network.run(seconds(2)));
  EXPECT_EQ(into, Message(50'000)) << "arrivals after that write nothing";
  EXPECT_GT(network.endpoint(1).counters().refused, 0U);
}

TEST(Exchange, lengths_that_differ_are_reported_by_the_receiver) {
  SimulatedSettings settings = lab16();
  settings.endpoints = 2;
  settings.endpoint.limits.unscheduled = 1000;
  SimulatedNetwork network(settings);
  const Message sent = message(900, 1);
  Message into(800);
  network.send(0, 1, sent, 1);
  network.receive(1, 0, into, 2);
  network.run(seconds(5));
  EXPECT_EQ(network.mismatches(), 1U);
}

}  // namespace
}  // namespace quadrille::wire
