// SPDX-License-Identifier: BSD-3-Clause
// Long messages as runs of packets, over a network that loses, alters and reorders some of them.
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "wire/simulated/messages.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

SimulatedSettings fast(std::uint32_t endpoints) {
  SimulatedSettings settings;
  settings.endpoints = endpoints;
  settings.rate_bit_s = 25e9;
  settings.latency = Nanoseconds{5'000};
  settings.buffer_bytes = 512 * 1024;
  settings.most_budget = 400;
  settings.runs = true;
  return settings;
}

constexpr Nanoseconds seconds(std::int64_t count) { return {count * 1'000'000'000}; }

// `length` bytes from endpoint 0 to 1; returns whether each arrived.
bool arrives(SimulatedNetwork& network, std::size_t length, Nanoseconds limit) {
  const Message sent = message(length, 1);
  Message received(sent.size());
  network.receive(1, 0, received, 1);
  network.send(0, 1, sent, 2);
  return network.run(limit) && sent == received && network.mismatches() == 0;
}

TEST(Run, a_long_message_leaves_in_runs) {
  SimulatedNetwork network(fast(2));
  ASSERT_TRUE(arrives(network, 1 << 20, seconds(1)));
  const EndpointCounters& counters = network.endpoint(0).counters();
  EXPECT_GE(counters.runs_sent, 729 / longest_run);
  EXPECT_LE(counters.runs_sent, 729 / longest_run + 10);
  EXPECT_EQ(counters.data_resent, 0U);
  EXPECT_EQ(counters.data_sent, 729U);
  EXPECT_EQ(network.endpoint(0).statistics(0).packets, 729U);
  EXPECT_LT(network.now().value, 600'000) << "its payload alone takes 336 us";
}

TEST(Run, messages_of_all_lengths_around_a_packets_arrive) {
  for (std::size_t packets = 7; packets <= 90; packets += packets < 10 ? 1 : 20) {
    for (const std::ptrdiff_t more : {-1441, -1, 0, 1, 700}) {
      SimulatedNetwork network(fast(2));
      const auto length =
          static_cast<std::size_t>(static_cast<std::ptrdiff_t>(packets * 1440) + more);
      EXPECT_TRUE(arrives(network, length, seconds(1))) << length;
      EXPECT_EQ(network.endpoint(1).counters().forged, 0U) << length;
    }
  }
}

struct Trouble {
  double loss = 0;
  double duplication = 0;
  double reordering = 0;
  double corruption = 0;
};
void PrintTo(const Trouble& trouble, std::ostream* out) {
  *out << "loss " << trouble.loss << ", duplication " << trouble.duplication << ", reordering "
       << trouble.reordering << ", corruption " << trouble.corruption;
}

class TroubledRun : public testing::TestWithParam<Trouble> {};

TEST_P(TroubledRun, arrives_whole_and_only_what_was_lost_goes_again) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedSettings settings = fast(2);
    settings.seed = seed;
    settings.loss = GetParam().loss;
    settings.duplication = GetParam().duplication;
    settings.reordering = GetParam().reordering;
    settings.corruption = GetParam().corruption;
    settings.held_back = Nanoseconds{50'000};
    SimulatedNetwork network(settings);
    EXPECT_TRUE(arrives(network, 1 << 20, seconds(20))) << seed;
    const EndpointCounters& counters = network.endpoint(0).counters();
    EXPECT_TRUE(GetParam().loss == 0 || counters.data_sent < 729U * 1.6)
        << seed << ": " << counters.data_sent;
  }
}

INSTANTIATE_TEST_SUITE_P(each, TroubledRun,
                         testing::Values(Trouble{.loss = 0.002}, Trouble{.loss = 0.05},
                                         Trouble{.loss = 0.3}, Trouble{.duplication = 0.1},
                                         Trouble{.reordering = 0.02}, Trouble{.corruption = 0.01},
                                         Trouble{0.02, 0.02, 0.02, 0.02}));

TEST(Run, one_lost_datagram_of_it_goes_again_alone) {
  SimulatedNetwork network(fast(2));
  ASSERT_TRUE(arrives(network, 1 << 20, seconds(1)));
  const std::uint32_t grown = network.budget(1).limit();
  const std::uint64_t before = network.endpoint(0).counters().data_resent;
  network.lose_datagrams(network.travelled() + 60);
  ASSERT_TRUE(arrives(network, 1 << 20, seconds(2)));
  const std::uint64_t resent = network.endpoint(0).counters().data_resent - before;
  EXPECT_EQ(resent, 1U);
  EXPECT_GE(network.budget(1).limit(), grown * 3 / 4);
}

// As interfaces do that lose what they are to cut.
TEST(Run, that_is_lost_whole_lowers_a_grown_budget_once) {
  SimulatedNetwork network(fast(2));
  ASSERT_TRUE(arrives(network, 1 << 20, seconds(1)));
  const std::uint32_t grown = network.budget(1).limit();
  const std::uint64_t before = network.endpoint(0).counters().data_resent;
  network.lose_datagrams(network.travelled() + 100, 30);
  ASSERT_TRUE(arrives(network, 1 << 20, seconds(2)));
  EXPECT_GE(network.endpoint(0).counters().data_resent - before, 20U);
  EXPECT_GE(network.budget(1).limit(), grown * 3 / 4);
}

TEST(Run, both_ways_each_end_hears_by_the_others_data) {
  SimulatedNetwork network(fast(2));
  const Message sent[2] = {message(1 << 20, 1), message(1 << 20, 2)};
  Message received[2] = {Message(1 << 20), Message(1 << 20)};
  for (EndpointId end = 0; end < 2; ++end) {
    network.receive(end, 1 - end, received[1 - end], 1 + end);
    network.send(end, 1 - end, sent[end], 3 + end);
  }
  ASSERT_TRUE(network.run(seconds(1)));
  EXPECT_EQ(received[0], sent[0]);
  EXPECT_EQ(received[1], sent[1]);
  EXPECT_LT(network.now().value, 700'000);
}

TEST(Run, that_comes_again_or_was_altered_changes_nothing) {
  SimulatedNetwork network(fast(2));
  network.record(1);
  ASSERT_TRUE(arrives(network, 1 << 20, seconds(1)));
  const EndpointCounters before = network.endpoint(1).counters();
  const auto recording = network.recording();
  ASSERT_GT(recording.size(), 729U);
  for (const auto& datagram : recording) network.inject(1, datagram);
  for (auto datagram : recording) {
    datagram[datagram.size() - 30] ^= std::byte{1};
    network.inject(1, datagram);
  }
  const EndpointCounters& after = network.endpoint(1).counters();
  EXPECT_EQ(after.bytes_received, before.bytes_received);
  EXPECT_GT(after.forged, before.forged) << "tags are wrong";
  ASSERT_TRUE(arrives(network, 1 << 20, seconds(2))) << "it goes on afterwards";
}

}  // namespace
}  // namespace quadrille::wire
