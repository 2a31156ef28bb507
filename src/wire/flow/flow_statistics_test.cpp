// SPDX-License-Identifier: BSD-3-Clause
#include "wire/flow/flow_statistics.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds after_ms(std::int64_t count) { return {count * 1'000'000}; }

TEST(ChannelStatistics, time_without_credit_is_that_in_which_no_flow_may_send_what_waits) {
  ChannelStatistics channel;
  FlowStanding one;
  FlowStanding other;
  channel.stands(one, {.unsent = true}, after_ms(10));
  channel.stands(other, {.unsent = true}, after_ms(12));
  EXPECT_EQ(channel.so_far().credit_wait, after_ms(0)) << "it counts when it ends";
  channel.stands(other, {.unsent = true, .may_send = true}, after_ms(15));
  EXPECT_EQ(channel.so_far().credit_wait, after_ms(5)) << "of both flows once";
  channel.stands(other, {}, after_ms(20));
  EXPECT_EQ(channel.so_far().credit_wait, after_ms(5)) << "the other may send";
  channel.stands(one, {.unsent = true, .may_send = true}, after_ms(22));
  channel.stands(one, {}, after_ms(23));
  channel.stands(one, {}, after_ms(500));
  EXPECT_EQ(channel.so_far().credit_wait, after_ms(7)) << "nothing waits";
}

TEST(ChannelStatistics, what_may_go_again_is_no_wait_for_credit_of_what_was_never_sent) {
  ChannelStatistics channel;
  FlowStanding flow;
  channel.stands(flow, {.unsent = true, .may_send = true, .under_way = true}, after_ms(10));
  channel.stands(flow, {.unsent = true, .may_send = true}, after_ms(90));
  EXPECT_EQ(channel.so_far().credit_wait, after_ms(0));
}

TEST(ChannelStatistics, a_stall_is_a_long_silence_while_something_is_under_way) {
  ChannelStatistics channel;
  FlowStanding flow;
  channel.moved(after_ms(0));
  channel.moved(after_ms(1000));
  EXPECT_EQ(channel.so_far().stalls, 0U) << "nothing was awaited";
  channel.stands(flow, {.under_way = true}, after_ms(2000));
  channel.moved(after_ms(2049));
  EXPECT_EQ(channel.so_far().stalls, 0U);
  channel.moved(after_ms(2099));
  channel.moved(after_ms(2100));
  EXPECT_EQ(channel.so_far().stalls, 1U) << "from the last movement on";
}

TEST(ChannelStatistics, what_another_flow_receives_is_no_stall) {
  ChannelStatistics channel;
  FlowStanding silent;
  FlowStanding busy;
  channel.stands(silent, {.under_way = true}, after_ms(0));
  for (int i = 1; i <= 20; ++i) {
    channel.stands(busy, {.under_way = true}, after_ms(i * 10 - 1));
    channel.moved(after_ms(i * 10));
    channel.stands(busy, {}, after_ms(i * 10));
  }
  channel.moved(after_ms(270));
  EXPECT_EQ(channel.so_far().stalls, 1U) << "but that nothing moves at all is";
}

TEST(FlowStatistics, differences_are_what_happened_between) {
  ChannelStatistics channel;
  channel.sent(1, 1000, false);
  const FlowStatistics before = channel.so_far();
  channel.sent(1, 500, false);
  channel.sent(1, 1000, true);
  FlowStatistics twice = channel.so_far() - before;
  EXPECT_EQ(twice, (FlowStatistics{.packets = 2, .bytes = 1500, .resent = 1}));
  twice += twice;
  EXPECT_EQ(twice, (FlowStatistics{.packets = 4, .bytes = 3000, .resent = 2}));
}

}  // namespace
}  // namespace quadrille::wire
