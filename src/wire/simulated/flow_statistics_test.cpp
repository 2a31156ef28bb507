// SPDX-License-Identifier: BSD-3-Clause
// What endpoints on the simulated switch say of their flows.
#include "wire/flow/flow_statistics.h"

#include <gtest/gtest.h>

#include <vector>

#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

constexpr Nanoseconds of_ms(std::int64_t count) { return {count * 1'000'000}; }

// Two endpoints, of which 0 sends 1 a message of ten packets.
class TwoEnds : public testing::Test {
 protected:
  void send(Channel channel = 0) { network_.send(0, 1, sent_, handle_++, channel); }
  void receive(Channel channel = 0) { network_.receive(1, 0, received_, handle_++, channel); }

  std::vector<std::byte> sent_ = std::vector<std::byte>(std::size_t{10} * 1440);
  std::vector<std::byte> received_ = std::vector<std::byte>(sent_.size());
  Handle handle_ = 1;
  SimulatedNetwork network_{{}};
};

TEST_F(TwoEnds, a_sender_waits_for_credit_until_its_receiver_expects_the_message) {
  send();
  network_.at(of_ms(300), [this] { receive(); });
  ASSERT_TRUE(network_.run(of_ms(2000)));
  const FlowStatistics sender = network_.endpoint(0).statistics(0);
  EXPECT_EQ(sender.packets, 10U);
  EXPECT_EQ(sender.bytes, sent_.size());
  EXPECT_EQ(sender.resent, 0U);
  // From the first moment to the grant, which travels: 20 us and 1.2 us a small datagram.
  EXPECT_GT(sender.credit_wait, of_ms(300));
  EXPECT_LT(sender.credit_wait, of_ms(301));
  EXPECT_EQ(sender.stalls, 0U) << "a late program is none";
  EXPECT_EQ(network_.endpoint(1).statistics(0), FlowStatistics{}) << "it had nothing to send";
}

TEST_F(TwoEnds, a_network_that_falls_silent_is_a_stall_of_both_that_await_something) {
  receive();
  send();
  // Most of the message is granted by then, and some of it on its way.
  network_.at(Nanoseconds{100'000}, [this] { network_.silence(0, true); });
  network_.at(of_ms(80), [this] { network_.silence(0, false); });
  ASSERT_TRUE(network_.run(of_ms(3000)));
  EXPECT_EQ(network_.endpoint(0).statistics(0).stalls, 1U);
  EXPECT_EQ(network_.endpoint(1).statistics(0).stalls, 1U);
}

TEST_F(TwoEnds, each_channel_counts_its_own) {
  std::vector<std::byte> elsewhere(sent_.size());
  receive(3);
  send(3);
  network_.send(1, 0, sent_, handle_++, 5);
  network_.at(of_ms(10), [&] { network_.receive(0, 1, elsewhere, handle_++, 5); });
  ASSERT_TRUE(network_.run(of_ms(2000)));
  EXPECT_EQ(network_.endpoint(0).statistics(3).packets, 10U);
  EXPECT_EQ(network_.endpoint(0).statistics(5).packets, 0U);
  EXPECT_EQ(network_.endpoint(1).statistics(5).packets, 10U);
  EXPECT_LT(network_.endpoint(0).statistics(3).credit_wait, of_ms(1));
  EXPECT_GT(network_.endpoint(1).statistics(5).credit_wait, of_ms(10));
}

TEST_F(TwoEnds, nothing_is_left_of_a_channel_that_was_abandoned) {
  receive();
  send();
  ASSERT_TRUE(network_.run(of_ms(2000)));
  network_.endpoint(0).abandon(0);
  EXPECT_EQ(network_.endpoint(0).statistics(0), FlowStatistics{});
}

TEST(FlowStatisticsOfLosses, what_was_lost_is_sent_again_and_counted) {
  SimulatedSettings settings;
  settings.loss = 0.1;
  SimulatedNetwork network(settings);
  const std::vector<std::byte> sent(300'000);
  std::vector<std::byte> received(sent.size());
  network.receive(1, 0, received, 1);
  network.send(0, 1, sent, 2);
  ASSERT_TRUE(network.run(of_ms(60'000)));
  const FlowStatistics sender = network.endpoint(0).statistics(0);
  EXPECT_GT(sender.resent, 0U);
  EXPECT_EQ(sender.resent, network.endpoint(0).counters().data_resent);
  EXPECT_EQ(sender.packets, network.endpoint(0).counters().data_sent);
  EXPECT_EQ(sender.bytes, network.endpoint(0).counters().bytes_sent);
}

}  // namespace
}  // namespace quadrille::wire
