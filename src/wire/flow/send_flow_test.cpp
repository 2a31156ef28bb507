// SPDX-License-Identifier: BSD-3-Clause
// What goes out, when, and when again.
#include "wire/flow/send_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace quadrille::wire {
namespace {

using testing::ElementsAre;

constexpr FlowLimits kLimits{.payload = 10, .unscheduled = 8, .most_open = 100};

class SendFlowTest : public testing::Test {
 protected:
  void add(std::size_t length) { flow_.add(std::span(bytes_).first(length), handle_++); }
  std::vector<Sequence> send_all() {
    std::vector<Sequence> sequences;
    while (flow_.may_send()) sequences.push_back(flow_.next().sequence);
    return sequences;
  }
  bool news(Sequence acknowledged, Sequence granted, std::uint64_t bits = 0,
            std::uint64_t answers = 0) {
    const std::array<std::uint64_t, 1> words{bits};
    return flow_.on_news({acknowledged, granted, flow_.announced(), words, answers});
  }

  std::vector<std::byte> bytes_ = std::vector<std::byte>(1000);
  Handle handle_ = 1;
  SendFlow flow_{kLimits};
};

TEST_F(SendFlowTest, a_small_message_goes_unscheduled_a_larger_one_waits_for_its_grant) {
  add(8);
  EXPECT_THAT(send_all(), ElementsAre(0));
  add(9);
  EXPECT_THAT(send_all(), ElementsAre());
  news(1, 1);
  EXPECT_THAT(send_all(), ElementsAre());
  news(1, 2);
  EXPECT_THAT(send_all(), ElementsAre(1));
}

TEST_F(SendFlowTest, only_one_packet_goes_unscheduled_until_it_has_arrived) {
  add(8);
  add(8);
  EXPECT_THAT(send_all(), ElementsAre(0));
  news(1, 1);
  EXPECT_THAT(send_all(), ElementsAre(1));
}

TEST_F(SendFlowTest, two_packets_go_unscheduled_where_both_fit_with_the_framing_of_the_second) {
  SendFlow flow({.payload = 100, .unscheduled = 40 + packet_framing_bytes, .most_open = 100});
  for (const std::size_t length : {20U, 20U, 1U}) flow.add(std::span(bytes_).first(length), 1);
  EXPECT_EQ(flow.next().sequence, 0U);
  ASSERT_TRUE(flow.may_send());
  EXPECT_EQ(flow.next().sequence, 1U);
  EXPECT_FALSE(flow.may_send()) << "never three";
  SendFlow fuller({.payload = 100, .unscheduled = 40 + packet_framing_bytes, .most_open = 100});
  for (const std::size_t length : {20U, 21U}) fuller.add(std::span(bytes_).first(length), 1);
  fuller.next();
  EXPECT_FALSE(fuller.may_send());
}

TEST_F(SendFlowTest, a_message_that_leaves_unscheduled_is_copied_and_complete_at_once) {
  add(8);
  ASSERT_TRUE(flow_.keep_unscheduled());
  EXPECT_EQ(flow_.next_completed(), 1U);
  bytes_[0] = std::byte{7};  // its caller's again
  EXPECT_EQ(flow_.next().payload[0], std::byte{0});
  news(1, 1);
  EXPECT_EQ(flow_.next_completed(), std::nullopt) << "once";
  add(9);
  EXPECT_FALSE(flow_.keep_unscheduled()) << "it waits for its grant";
}

TEST_F(SendFlowTest, packets_know_their_place_and_the_last_of_a_message) {
  add(25);
  add(0);
  news(0, 4);
  const auto first = flow_.next();
  EXPECT_EQ(first.place, 0U);
  EXPECT_FALSE(first.last);
  EXPECT_EQ(first.payload.size(), 10U);
  flow_.next();
  const auto third = flow_.next();
  EXPECT_EQ(third.place, 2U);
  EXPECT_TRUE(third.last);
  EXPECT_EQ(third.payload.size(), 5U);
  EXPECT_EQ(third.payload.data(), bytes_.data() + 20);
  const auto empty = flow_.next();
  EXPECT_EQ(empty.place, 0U);
  EXPECT_TRUE(empty.last);
  EXPECT_TRUE(empty.payload.empty());
}

TEST_F(SendFlowTest, messages_complete_in_order_when_all_of_them_has_arrived) {
  add(20);
  add(10);
  news(0, 3);
  send_all();
  news(0, 3, 0b10);  // packet 2, all of the second message
  EXPECT_EQ(flow_.next_completed(), std::nullopt);
  news(3, 3);
  EXPECT_EQ(flow_.next_completed(), 1U);
  EXPECT_EQ(flow_.next_completed(), 2U);
  EXPECT_TRUE(flow_.idle());
}

TEST_F(SendFlowTest, what_three_later_packets_have_overtaken_is_sent_again_once) {
  add(100);
  news(0, 10);
  EXPECT_EQ(send_all().size(), 10U);
  news(0, 10, 0b11);  // 1 and 2
  EXPECT_FALSE(flow_.may_send());
  news(0, 10, 0b111);
  EXPECT_THAT(send_all(), ElementsAre(0));
  news(0, 10, 0b1111);
  EXPECT_FALSE(flow_.may_send());
  EXPECT_EQ(flow_.resent(), 1U);
}

TEST_F(SendFlowTest, what_was_sent_again_can_be_lost_again) {
  add(200);
  news(0, 10);
  send_all();
  news(0, 20, 0b111);
  EXPECT_THAT(flow_.next().sequence, 0);  // again
  EXPECT_EQ(send_all().size(), 10U);      // 10 to 19, after it
  news(0, 20, 0b111111111);
  EXPECT_FALSE(flow_.may_send());
  news(0, 20, 0b111'111111111);  // 10 to 12
  EXPECT_THAT(send_all(), ElementsAre(0));
}

TEST_F(SendFlowTest, an_answer_tells_which_of_the_last_packets_were_lost) {
  add(30);
  news(0, 3);
  send_all();
  flow_.asked(7);
  news(1, 3, 0b1, 6);  // packet 1 is missing, but this answers an older probe
  EXPECT_FALSE(flow_.may_send());
  news(1, 3, 0b1, 7);
  EXPECT_THAT(send_all(), ElementsAre(1));
  news(1, 3, 0b1, 7);
  EXPECT_FALSE(flow_.may_send()) << "the probe was sent before it";
}

TEST_F(SendFlowTest, a_later_probe_does_not_void_the_answer_to_an_earlier_one) {
  add(30);
  news(0, 3);
  send_all();
  flow_.asked(7);
  flow_.asked(8);
  news(1, 3, 0b1, 7);
  EXPECT_THAT(send_all(), ElementsAre(1));
}

TEST_F(SendFlowTest, the_answer_to_a_later_probe_tells_of_what_was_sent_before_that_one) {
  add(30);
  news(0, 2);
  send_all();
  flow_.asked(7);  // lost
  news(0, 3);
  send_all();
  flow_.asked(8);
  news(2, 3, 0, 8);
  EXPECT_THAT(send_all(), ElementsAre(2));
}

TEST_F(SendFlowTest, what_was_refused_unscheduled_goes_again_when_it_is_granted) {
  add(8);
  EXPECT_THAT(send_all(), ElementsAre(0));
  flow_.asked(3);
  news(0, 0, 0, 3);  // heard of, and not taken
  EXPECT_THAT(send_all(), ElementsAre());
  EXPECT_EQ(flow_.awaiting(), Awaiting::program) << "its receiver's program is awaited";
  news(0, 1, 0, 3);
  ASSERT_TRUE(flow_.may_send());
  const auto again = flow_.next();
  EXPECT_EQ(again.sequence, 0U);
  EXPECT_FALSE(again.repeated) << "nothing was lost";
}

TEST_F(SendFlowTest, old_news_and_news_of_what_was_never_sent_change_nothing) {
  add(50);
  news(0, 3);
  send_all();
  news(2, 3);
  EXPECT_FALSE(news(1, 2, 0b111));
  EXPECT_FALSE(news(4, 3));
  EXPECT_FALSE(news(0, 2 + kLimits.most_open + 1));
  EXPECT_EQ(flow_.acknowledged(), 2U);
  EXPECT_FALSE(flow_.may_send());
}

TEST_F(SendFlowTest, what_is_granted_before_it_waits_goes_at_once) {
  EXPECT_TRUE(news(0, 2));
  EXPECT_FALSE(flow_.may_send());
  add(30);
  EXPECT_THAT(send_all(), ElementsAre(0, 1));
}

TEST_F(SendFlowTest, no_more_is_open_than_the_receiver_can_tell_of) {
  SendFlow flow({.payload = 1, .unscheduled = 0, .most_open = 4});
  flow.add(std::span(bytes_).first(10), 1);
  flow.on_news({0, 10, 10, {}, 0});
  int sent = 0;
  for (; flow.may_send(); ++sent) flow.next();
  EXPECT_EQ(sent, 4);
}

class RunOfSendFlow : public testing::Test {
 protected:
  static constexpr FlowLimits kLong{.payload = 100, .unscheduled = 8, .most_open = 100};
  bool news(Sequence acknowledged, Sequence granted) {
    return flow_.on_news({acknowledged, granted, flow_.announced(), {}, 0});
  }
  std::vector<std::byte> bytes_ = std::vector<std::byte>(10'000);
  SendFlow flow_{kLong};
};

TEST_F(RunOfSendFlow, is_of_what_is_granted_of_one_message) {
  flow_.add(std::span(bytes_).first(2000), 1);
  flow_.add(std::span(bytes_).first(2000), 2);
  EXPECT_FALSE(flow_.next_run(2, 40)) << "nothing is granted";
  news(0, 30);
  const auto first = flow_.next_run(2, 12);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->packets, 12U);
  EXPECT_FALSE(first->last);
  const auto second = flow_.next_run(2, 12);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->first, 12U);
  EXPECT_EQ(second->packets, 8U);
  EXPECT_TRUE(second->last);
  const auto third = flow_.next_run(2, 12);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->place, 0U);
  EXPECT_EQ(third->packets, 10U);
  EXPECT_EQ(third->payload.size(), 1000U);
}

TEST_F(RunOfSendFlow, ends_with_a_last_packet_that_is_not_full) {
  flow_.add(std::span(bytes_).first(501), 1);
  news(0, 6);
  const auto run = flow_.next_run(2, 12);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->packets, 6U);
  EXPECT_TRUE(run->last);
  EXPECT_EQ(run->payload.size(), 501U);
}

TEST_F(RunOfSendFlow, of_which_some_were_lost_these_go_again) {
  flow_.add(std::span(bytes_).first(10'000), 1);
  news(0, 100);
  ASSERT_EQ(flow_.next_run(2, 44)->packets, 44U);
  // The packets 10 to 19 are missing.
  const std::array<std::uint64_t, 1> words{std::uint64_t{0xffffff} << 9U};
  flow_.on_news({10, 100, 100, words, 0});
  const auto again = flow_.next_run(2, 44);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->first, 10U);
  EXPECT_EQ(again->packets, 10U);
  EXPECT_EQ(flow_.resent(), 10U);
  EXPECT_EQ(flow_.next_run(2, 44)->first, 44U);
}

class PathsOfSendFlow : public testing::Test {
 protected:
  PathsOfSendFlow() {
    flow_.set_paths(2);
    flow_.add(bytes_, 1);
    news(0, 12);
  }
  // `bits` as in ACK: of the packets behind the first missing one.
  void news(Sequence acknowledged, Sequence granted, std::uint64_t bits = 0) {
    const std::array<std::uint64_t, 1> words{bits};
    flow_.on_news({acknowledged, granted, flow_.announced(), words, 0});
  }
  std::vector<std::byte> bytes_ = std::vector<std::byte>(480'000);
  SendFlow flow_{{.payload = 20'000, .unscheduled = 8, .most_open = 100}};
};

TEST_F(PathsOfSendFlow, are_taken_in_turn_a_run_each) {
  std::vector<std::uint32_t> paths;
  while (const auto run = flow_.next_run(2, 3)) paths.push_back(run->path);
  EXPECT_THAT(paths, ElementsAre(1, 0, 1, 0));
}

TEST_F(PathsOfSendFlow, what_another_has_overtaken_is_not_lost) {
  while (flow_.next_run(2, 3)) {
  }
  news(0, 12, 0b111'000'111'00);  // 3 to 5 and 9 to 11
  EXPECT_FALSE(flow_.may_send());
  news(0, 12, 0b111'111'111'00);  // 6 to 8, which took the path of 0 to 2
  const auto again = flow_.next_run(2, 44);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->first, 0U);
  EXPECT_EQ(again->packets, 3U);
  EXPECT_FALSE(flow_.may_send());
}

TEST_F(PathsOfSendFlow, what_went_again_by_another_is_lost_with_that_one) {
  while (flow_.next_run(2, 3)) {
  }
  news(0, 12, 0b111'111'111'00);
  const auto again = flow_.next_run(2, 44);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->path, 1U);
  flow_.set_paths(1);
  news(0, 24, 0b111'111'111'00);
  ASSERT_EQ(flow_.next_run(2, 8)->path, 0U);
  news(0, 24, 0b111'111'111'111'111'00);  // these have overtaken what went by the other path
  EXPECT_FALSE(flow_.next_run(2, 44) && flow_.may_send());
}

TEST(SendFlow, an_eager_message_begins_to_leave_before_it_is_granted) {
  FlowLimits limits;
  limits.payload = 100;
  limits.most_unscheduled = 3;
  limits.eager = true;
  SendFlow flow(limits);
  const std::vector<std::byte> data(20 * 100);
  flow.add(data, 1);
  EXPECT_FALSE(flow.keep_unscheduled());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(flow.may_send());
    EXPECT_FALSE(flow.next().repeated);
  }
  EXPECT_FALSE(flow.may_send());
  flow.on_news({.acknowledged = 1, .granted = 0, .heard = 0, .arrived = {}, .answers = 0});
  EXPECT_TRUE(flow.may_send()) << "one more, as one is not under way any more";
  flow.set_eager_room(true);
  const auto run = flow.next_run(8, 44);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->first, 3U);
  EXPECT_EQ(run->packets, 1 + 3 * eager_growth - 3);
}

TEST(SendFlow, what_was_granted_is_not_lost_while_its_connection_stands) {
  SendFlow flow({.payload = 100});
  const std::vector<std::byte> data(20 * 100);
  flow.add(data, 1);
  const SendFlow::News granted{
      .acknowledged = 0, .granted = 20, .heard = 0, .arrived = {}, .answers = 0};
  flow.on_news(granted);
  ASSERT_TRUE(flow.next_run(2, 20));
  flow.asked(7);
  SendFlow::News answer = granted;
  answer.answers = 7;
  answer.in_stream = true;
  flow.on_news(answer);
  EXPECT_FALSE(flow.may_send()) << "it is late";
  flow.asked(8);
  answer.answers = 8;
  answer.in_stream = false;
  flow.on_news(answer);
  EXPECT_TRUE(flow.may_send()) << "its connection has ended";
}

}  // namespace
}  // namespace quadrille::wire
