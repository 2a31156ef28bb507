// SPDX-License-Identifier: BSD-3-Clause
// What stays of a channel's flows when its communicator is freed.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "wire/endpoint.h"

namespace quadrille::wire {
namespace {

static_assert(sizeof(DormantFlow) <= 48, "docs/wire_format.md: memory");

class FreedChannel : public testing::Test {
 protected:
  static EndpointSettings settings(EndpointId self) {
    EndpointSettings settings;
    settings.peers = 2;
    settings.limits = {.payload = 1000, .unscheduled = 500};
    settings.self = self;
    return settings;
  }
  static void SetUpTestSuite() { ASSERT_TRUE(start_cryptography()); }

  // Everything that either end has to say arrives, but what `loses` says of it.
  void pass_all(std::size_t deaf = 2) {
    std::vector<std::byte> room(ends_[0].largest_datagram());
    for (bool any = true; any;) {
      any = false;
      for (std::size_t end = 0; end < 2; ++end) {
        while (const auto outgoing = ends_[end].next_datagram(room, now_)) {
          any = true;
          last_.assign(room.begin(), room.begin() + static_cast<long>(outgoing->length));
          if (1 - end != deaf)
            ends_[1 - end].on_datagram(std::span(room).first(last_.size()), now_);
        }
      }
    }
  }
  void message(Channel channel, std::size_t deaf = 2) {
    ends_[1].receive(0, channel, into_, ++handle_, now_);
    ends_[0].send(1, channel, sent_, ++handle_, now_);
    pass_all(deaf);
  }

  std::array<CreditBoard, 2> boards_{};
  std::array<CreditBudget, 2> budgets_{CreditBudget(boards_[0], 0, 256),
                                       CreditBudget(boards_[1], 0, 256)};
  std::array<Endpoint, 2> ends_{Endpoint(settings(0), budgets_[0]),
                                Endpoint(settings(1), budgets_[1])};
  std::vector<std::byte> sent_ = std::vector<std::byte>(400);
  std::vector<std::byte> into_ = std::vector<std::byte>(400);
  std::vector<std::byte> last_;
  Handle handle_ = 0;
  Nanoseconds now_{1};
};

TEST_F(FreedChannel, keeps_numbers_only_and_goes_on_from_them) {
  for (std::uint32_t use = 0; use < 100; ++use) {
    const auto channel = static_cast<Channel>(use % 7);
    message(channel);
    ends_[use % 2].release(channel);
    EXPECT_EQ(ends_[use % 2].flows().live, 0U);
    ends_[1 - use % 2].release(channel);
    EXPECT_EQ(ends_[1 - use % 2].flows().live, 0U);
    now_ += Nanoseconds{1'000'000};
  }
  EXPECT_EQ(ends_[0].flows().dormant, 7U);
  EXPECT_EQ(ends_[1].counters().data_received, 100U);
  EXPECT_EQ(ends_[0].counters().forged + ends_[1].counters().forged, 0U);
}

TEST_F(FreedChannel, answers_who_has_not_heard_that_all_has_arrived) {
  message(3, 0);
  ends_[1].release(3);
  EXPECT_EQ(ends_[1].flows().live, 0U);
  ends_[0].release(3);
  EXPECT_EQ(ends_[0].flows().live, 1U) << "its sender does not know";
  now_ = *ends_[0].deadline();
  pass_all();
  EXPECT_EQ(ends_[0].flows().live, 0U);
  EXPECT_EQ(ends_[1].flows().live, 0U);
  EXPECT_EQ(ends_[0].counters().data_sent, 1U);
}

TEST_F(FreedChannel, keeps_what_comes_for_its_next_communicator_before_that_is_used_here) {
  message(3);
  for (Endpoint& end : ends_) end.release(3);
  ends_[0].send(1, 3, sent_, ++handle_, now_);
  pass_all();
  EXPECT_EQ(ends_[1].flows().live, 1U);
  ends_[1].receive(0, 3, into_, 77, now_);
  while (const auto done = ends_[1].next_completion()) EXPECT_TRUE(done->matches);
  EXPECT_EQ(ends_[1].counters().data_received, 2U);
  EXPECT_EQ(ends_[0].counters().data_sent, 2U);
}

TEST_F(FreedChannel, is_not_moved_by_a_packet_of_long_ago) {
  ends_[0].send(1, 3, sent_, ++handle_, now_);
  std::vector<std::byte> room(ends_[0].largest_datagram());
  const auto first = ends_[0].next_datagram(room, now_);
  ASSERT_TRUE(first && !first->is_ack);
  std::vector<std::byte> old(room.begin(), room.begin() + static_cast<long>(first->length));
  std::vector<std::byte> again = old;
  ends_[1].receive(0, 3, into_, ++handle_, now_);
  ends_[1].on_datagram(again, now_);
  pass_all();
  for (Endpoint& end : ends_) end.release(3);
  ends_[1].on_datagram(old, now_);
  EXPECT_EQ(ends_[1].counters().duplicates, 1U);
  pass_all();
  EXPECT_EQ(ends_[1].flows().live, 0U);
  message(3);
  EXPECT_EQ(ends_[1].counters().data_received, 2U);
}

class ManyChannels : public FreedChannel {
 protected:
  static EndpointSettings few_awake(EndpointId self) {
    EndpointSettings made = settings(self);
    made.most_idle_flows = 4;
    return made;
  }
  void SetUp() override {
    for (EndpointId end = 0; end < 2; ++end) start_anew(end, few_awake(end));
  }
  void start_anew(EndpointId end, const EndpointSettings& settings) {
    std::destroy_at(&ends_[end]);
    std::construct_at(&ends_[end], settings, budgets_[end]);
  }
  // End 0 abandons the first of 20 channels, of which `sleeps` has most asleep.
  void abandon_first(EndpointSettings of_end_0, EndpointId sleeps) {
    of_end_0.tells_of_failure = true;
    start_anew(0, of_end_0);
    for (Channel channel = 0; channel < 20; ++channel) message(channel);
    ASSERT_GT(ends_[sleeps].flows().dormant, 10U);
    ends_[0].abandon(0);
    pass_all();
  }
};

TEST_F(ManyChannels, sleep_while_nothing_is_under_way) {
  for (std::uint32_t use = 0; use < 200; ++use) {
    message(static_cast<Channel>(use * 7 % 40));
    now_ += Nanoseconds{1'000'000};
    for (const Endpoint& end : ends_) EXPECT_LE(end.flows().live, 5U);
  }
  for (const Endpoint& end : ends_) {
    EXPECT_EQ(end.flows().live + end.flows().dormant, 40U);
    EXPECT_EQ(end.counters().forged, 0U);
  }
  EXPECT_EQ(ends_[1].counters().data_received, 200U);
  EXPECT_EQ(ends_[0].counters().data_sent, 200U);
}

TEST_F(ManyChannels, stay_awake_while_something_is_under_way) {
  constexpr Channel channels = 20;
  for (Channel channel = 0; channel < channels; ++channel)
    ends_[1].receive(0, channel, into_, ++handle_, now_);
  pass_all();
  EXPECT_EQ(ends_[1].flows().live, std::size_t{channels});
  for (Channel channel = 0; channel < channels; ++channel)
    ends_[0].send(1, channel, sent_, ++handle_, now_);
  pass_all();
  EXPECT_EQ(ends_[1].counters().data_received, std::uint64_t{channels});
  for (Channel channel = channels; channel < 4 * channels; ++channel) message(channel);
  EXPECT_LE(ends_[1].flows().live, 2 * std::size_t{channels} + 1);
}

TEST_F(ManyChannels, that_have_failed_are_not_forgotten) {
  const std::vector<std::byte> long_one(3000);
  ends_[1].receive(0, 0, into_, ++handle_, now_);
  ends_[0].send(1, 0, long_one, ++handle_, now_);
  pass_all();
  EXPECT_TRUE(ends_[1].is_out_of_step(0));
  for (Channel channel = 1; channel < 20; ++channel) message(channel);
  EXPECT_TRUE(ends_[1].is_out_of_step(0));
}

TEST_F(ManyChannels, that_sleep_are_told_of_when_they_are_abandoned) {
  abandon_first(few_awake(0), 0);
  EXPECT_TRUE(ends_[1].is_out_of_step(0));
}

TEST_F(ManyChannels, that_sleep_remember_that_their_other_end_has_failed) {
  abandon_first(settings(0), 1);
  for (Channel channel = 1; channel < 20; ++channel) message(channel);
  EXPECT_TRUE(ends_[1].is_out_of_step(0));
}

}  // namespace
}  // namespace quadrille::wire
