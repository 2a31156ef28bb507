// SPDX-License-Identifier: BSD-3-Clause
// When a packet leaves for all, and when for each alone.
#include "wire/groups/send_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace quadrille::wire {
namespace {

constexpr FlowLimits kGroupLimits{
    .payload = 10, .unscheduled = 0, .most_open = 100, .group_ahead = 2};

class SendGroupTest : public testing::Test {
 protected:
  SendGroupTest() {
    for (EndpointId peer = 1; peer <= 3; ++peer)
      owned_.push_back(std::make_unique<Flow>(FlowKey{peer, 5}, std::pair<Key, Key>{}, kGroupLimits,
                                              ProbeTimes{}, channel_));
    for (const auto& flow : owned_) flows_.push_back(flow.get());
    group_.emplace(flows_, Key{});
    group_->join();
  }
  void add(std::size_t length) {
    group_->begin();
    for (Flow* flow : flows_) flow->out.add(std::span(bytes_).first(length), 1);
  }
  void granted(std::size_t who, Sequence end, Sequence acknowledged = 0) {
    flows_[who]->out.on_news({acknowledged, end, flows_[who]->out.announced(), {}, 0});
  }
  // It answers that nothing has arrived.
  void missed(std::size_t who) {
    SendFlow& out = flows_[who]->out;
    out.asked(++probe_);
    out.on_news({0, out.granted(), out.announced(), {}, probe_});
  }
  static constexpr Nanoseconds ms(std::int64_t count) { return {count * 1'000'000}; }

  ChannelState channel_;
  std::vector<std::unique_ptr<Flow>> owned_;
  std::vector<Flow*> flows_;
  std::optional<SendGroup> group_;
  std::array<std::byte, 200> bytes_{};
  std::uint64_t probe_ = 0;
};

TEST_F(SendGroupTest, sends_when_all_have_granted) {
  add(30);
  granted(0, 3);
  granted(1, 3);
  EXPECT_FALSE(group_->may_send(ms(0)));
  granted(2, 3);
  EXPECT_TRUE(group_->may_send(ms(0)));
}

TEST_F(SendGroupTest, loses_patience_with_who_is_late_and_says_when) {
  add(30);
  EXPECT_FALSE(group_->may_send(ms(0)));
  EXPECT_EQ(group_->deadline(), std::nullopt) << "nobody is there yet";
  granted(0, 3);
  EXPECT_FALSE(group_->may_send(ms(10)));
  EXPECT_EQ(group_->deadline(), ms(12));
  EXPECT_TRUE(group_->may_send(ms(12)));
}

TEST_F(SendGroupTest, is_patient_again_once_nobody_is_late) {
  add(10);
  granted(0, 1);
  group_->may_send(ms(0));
  ASSERT_TRUE(group_->may_send(ms(5)));
  for (std::size_t who = 0; who < 3; ++who) {
    flows_[who]->out.next_new();
    granted(who, 1, 1);
  }
  add(30);
  granted(0, 4);
  EXPECT_FALSE(group_->may_send(ms(1000)));
}

TEST_F(SendGroupTest, goes_ahead_of_grants_by_so_many_packets_but_not_of_the_first) {
  group_->share_with(1, 2);
  add(50);
  EXPECT_FALSE(group_->may_send(ms(0)));
  for (std::size_t who = 0; who < 3; ++who) granted(who, 1);
  int sent = 0;
  for (; group_->may_send(ms(0)); ++sent) {
    for (Flow* flow : flows_) flow->out.next_new();
  }
  EXPECT_EQ(sent, 3);
}

TEST_F(SendGroupTest, repeats_for_all_once_and_then_for_each_alone) {
  add(10);
  for (std::size_t who = 0; who < 3; ++who) granted(who, 1);
  for (Flow* flow : flows_) flow->out.next_new();
  missed(0);
  missed(2);
  ASSERT_THAT(group_->repeating(0), testing::ElementsAre(flows_[0], flows_[2]));
  flows_[0]->out.next();
  flows_[2]->out.next();
  missed(0);
  missed(2);
  EXPECT_EQ(flows_[0]->out.repeats(), 0U);
  EXPECT_THAT(group_->repeating(0), testing::IsEmpty()) << "it may not reach them at all";
}

TEST_F(SendGroupTest, sends_nothing_to_all_after_they_have_parted) {
  add(10);
  for (std::size_t who = 0; who < 3; ++who) granted(who, 1);
  group_->part();
  EXPECT_FALSE(group_->may_send(ms(0)));
  EXPECT_EQ(flows_[1]->group, nullptr);
}

}  // namespace
}  // namespace quadrille::wire
