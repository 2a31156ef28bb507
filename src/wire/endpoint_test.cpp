// SPDX-License-Identifier: BSD-3-Clause
// What needs two endpoints and a chosen order of their datagrams; all else is in wire/simulated.
#include "wire/endpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace quadrille::wire {
namespace {

// Two ends and what they stand on.
struct Ends {
  explicit Ends(const FlowLimits& limits) : of{end(0, limits), end(1, limits)} {}

  Endpoint end(EndpointId self, const FlowLimits& limits) {
    EndpointSettings settings;
    settings.peers = 2;
    settings.limits = limits;
    settings.self = self;
    return {settings, budgets[self]};
  }

  std::array<CreditBoard, 2> boards{};
  std::array<CreditBudget, 2> budgets{CreditBudget(boards[0], 0, 256),
                                      CreditBudget(boards[1], 0, 256)};
  std::array<Endpoint, 2> of;
};

TEST(Endpoint, a_packet_held_up_for_long_acknowledges_nothing_it_did_not_mean) {
  ASSERT_TRUE(start_cryptography());
  Ends ends({.payload = 8, .unscheduled = 100});
  auto& [sender, receiver] = ends.of;
  const std::vector<std::byte> sent(70'000 * 8);
  std::vector<std::byte> into(sent.size());
  Nanoseconds now{1};
  receiver.send(0, 0, std::span(sent).first(8), 1, now);
  std::vector<std::byte> room(sender.largest_datagram());
  const auto first = receiver.next_datagram(room, now);
  ASSERT_TRUE(first && !first->is_ack);
  std::vector<std::byte> held(room.begin(), room.begin() + static_cast<long>(first->length));
  // The other direction goes on for longer than the 16 bits of an acknowledgement count.
  sender.send(1, 0, sent, 1, now);
  receiver.receive(0, 0, into, 2, now);
  const auto pass = [&](Endpoint& from, Endpoint& to) {
    bool any = false;
    while (const auto outgoing = from.next_datagram(room, now)) {
      any = true;
      if (&from == &sender || outgoing->is_ack)
        to.on_datagram(std::span(room).first(outgoing->length), now);
    }
    return any;
  };
  while (sender.counters().data_sent < 65'700) {
    now += Nanoseconds{1000};
    ASSERT_TRUE(static_cast<int>(pass(sender, receiver)) |
                static_cast<int>(pass(receiver, sender)));
  }
  EXPECT_EQ(sender.counters().forged, 0U);
  sender.on_datagram(held, now);
  EXPECT_EQ(sender.counters().forged, 1U);
  EXPECT_EQ(sender.counters().data_received, 0U);
}

// Two ends, whose datagrams arrive at once and in order.
class EndpointPair : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(start_cryptography()); }

  void pass_all() {
    std::vector<std::byte> room(ends_[0].largest_datagram());
    for (bool any = true; any;) {
      any = false;
      for (std::size_t end = 0; end < 2; ++end) {
        while (const auto outgoing = ends_[end].next_datagram(room, now_)) {
          any = true;
          ends_[1 - end].on_datagram(std::span(room).first(outgoing->length), now_);
        }
      }
    }
  }
  std::size_t completions(std::size_t end) {
    std::size_t count = 0;
    while (ends_[end].next_completion()) ++count;
    return count;
  }
  std::uint64_t acks() const {
    return ends_[0].counters().acks_sent + ends_[1].counters().acks_sent;
  }

  Ends both_{{.payload = 1000, .unscheduled = 500}};
  std::array<Endpoint, 2>& ends_ = both_.of;
  Nanoseconds now_{1};
};

TEST_F(EndpointPair, small_messages_by_turns_cost_one_datagram_each) {
  const std::vector<std::byte> sent(100);
  std::vector<std::byte> into(100);
  constexpr std::size_t calls = 50;
  for (std::size_t call = 0; call < calls; ++call) {
    for (std::size_t end = 0; end < 2; ++end) {
      ends_[end].receive(static_cast<EndpointId>(1 - end), 0, into, 2 * call, now_);
      ends_[end].send(static_cast<EndpointId>(1 - end), 0, sent, 2 * call + 1, now_);
    }
    pass_all();
    for (std::size_t end = 0; end < 2; ++end) ASSERT_EQ(completions(end), 2U);
    now_ += Nanoseconds{100'000};
  }
  // Only the first arrivals are not known to be answered by data.
  EXPECT_LE(acks(), 2U);
  EXPECT_EQ(ends_[0].counters().data_sent, calls);
}

TEST_F(EndpointPair, an_arrival_that_no_data_follows_is_reported_within_two_milliseconds) {
  const std::vector<std::byte> sent(100);
  std::vector<std::byte> into(100);
  for (std::size_t call = 0; call < 3; ++call) {
    for (std::size_t end = 0; end < 2; ++end) {
      ends_[end].receive(static_cast<EndpointId>(1 - end), 0, into, 2 * call, now_);
      ends_[end].send(static_cast<EndpointId>(1 - end), 0, sent, 2 * call + 1, now_);
    }
    pass_all();
  }
  const std::uint64_t before = acks();
  // The other's data has told of what arrived there.
  const auto due = ends_[0].deadline();
  ASSERT_TRUE(due.has_value());
  EXPECT_LE(*due, now_ + Nanoseconds{2'000'000});
  now_ += Nanoseconds{2'000'000};
  pass_all();
  EXPECT_EQ(acks() - before, 1U);
  EXPECT_EQ(ends_[0].counters().probes + ends_[1].counters().probes, 0U);
  EXPECT_TRUE(ends_[0].awaited().empty()) << "all is known to have arrived";
}

TEST_F(EndpointPair, small_messages_one_way_are_each_reported_at_once) {
  const std::vector<std::byte> sent(400);
  std::vector<std::byte> into(400);
  for (std::size_t call = 0; call < 20; ++call) {
    ends_[1].receive(0, 0, into, call, now_);
    ends_[0].send(1, 0, sent, call, now_);
    pass_all();
    ASSERT_EQ(completions(0), 1U);
    ASSERT_EQ(completions(1), 1U);
  }
  EXPECT_EQ(acks(), 20U);
  EXPECT_TRUE(ends_[0].awaited().empty());
}

TEST_F(EndpointPair, many_short_messages_at_once_are_announced_a_few_times) {
  constexpr std::size_t messages = 256;
  const std::vector<std::byte> sent(400);
  std::vector<std::vector<std::byte>> into(messages, std::vector<std::byte>(400));
  std::vector<std::byte> room(ends_[0].largest_datagram());
  // Each leaves, or is announced, before the next one comes, and nothing comes back meanwhile.
  std::vector<std::vector<std::byte>> under_way;
  for (std::size_t i = 0; i < messages; ++i) {
    ends_[0].send(1, 0, sent, i, now_);
    while (const auto outgoing = ends_[0].next_datagram(room, now_))
      under_way.emplace_back(room.begin(), room.begin() + static_cast<long>(outgoing->length));
  }
  EXPECT_LE(ends_[0].counters().acks_sent, 9U) << "twice as many each time";
  for (auto& datagram : under_way) ends_[1].on_datagram(datagram, now_);
  for (std::size_t i = 0; i < messages; ++i) ends_[1].receive(0, 0, into[i], i, now_);
  pass_all();
  EXPECT_EQ(completions(0), messages);
  EXPECT_EQ(completions(1), messages);
  EXPECT_EQ(ends_[0].counters().probes + ends_[1].counters().probes, 0U);
}

// As a job's other end would have them that has few partners.
TEST_F(EndpointPair, arrivals_of_what_may_come_are_reported_together) {
  const std::vector<std::byte> sent(1000);
  std::vector<std::vector<std::byte>> into(16, std::vector<std::byte>(1000));
  for (std::size_t i = 0; i < into.size(); ++i) ends_[1].receive_up_to(0, 0, into[i], i, now_);
  for (std::size_t i = 0; i < 12; ++i) ends_[0].send(1, 0, sent, i, now_);
  std::vector<std::byte> room(ends_[0].largest_datagram());
  // One at a time, as on a network.
  for (unsigned quiet = 0; quiet < 2;) {
    ++quiet;
    for (std::size_t end = 0; end < 2; ++end) {
      const auto outgoing = ends_[end].next_datagram(room, now_);
      if (!outgoing) continue;
      quiet = 0;
      ends_[1 - end].on_datagram(std::span(room).first(outgoing->length), now_);
    }
    now_ += Nanoseconds{1000};
  }
  EXPECT_EQ(completions(1), 12U);
  EXPECT_LE(ends_[1].counters().acks_sent, 2U) << "grants";
  EXPECT_FALSE(ends_[0].awaited().empty());
  now_ += Nanoseconds{50'000};
  pass_all();
  EXPECT_LE(ends_[1].counters().acks_sent, 3U);
  EXPECT_TRUE(ends_[0].awaited().empty());
  EXPECT_EQ(ends_[0].counters().probes, 0U);
}

TEST(Endpoint, several_packets_may_go_unscheduled_and_are_reported_with_the_answer) {
  ASSERT_TRUE(start_cryptography());
  Ends pair({.payload = 1000, .unscheduled = 8000, .most_unscheduled = 8});
  std::array<Endpoint, 2>& ends = pair.of;
  const std::vector<std::byte> sent(1000);
  std::vector<std::vector<std::byte>> into(8, std::vector<std::byte>(1000));
  std::vector<std::byte> room(ends[0].largest_datagram());
  Nanoseconds now{1};
  for (int turn = 0; turn < 10; ++turn) {
    Endpoint& from = ends[turn % 2];
    Endpoint& to = ends[1 - turn % 2];
    const auto peer = static_cast<EndpointId>(1 - turn % 2);
    for (Handle i = 0; i < 4; ++i) from.send(peer, 0, sent, 8 * static_cast<Handle>(turn) + i, now);
    for (Handle i = 0; i < 4; ++i)
      to.receive(1 - peer, 0, into[i], 8 * static_cast<Handle>(turn) + 4 + i, now);
    std::size_t data = 0;
    while (const auto outgoing = from.next_datagram(room, now)) {
      if (!outgoing->is_ack) ++data;
      to.on_datagram(std::span(room).first(outgoing->length), now);
    }
    EXPECT_EQ(data, 4U) << turn;
    now += Nanoseconds{10'000};
  }
  EXPECT_LE(ends[0].counters().acks_sent + ends[1].counters().acks_sent, 4U);
  EXPECT_EQ(ends[0].counters().refused + ends[1].counters().refused, 0U);
}

// As of a barrier's dissemination, or of a broadcast.
TEST(Endpoint, small_messages_one_way_are_reported_before_their_sender_has_to_stop) {
  ASSERT_TRUE(start_cryptography());
  Ends ends({.payload = 1000, .unscheduled = 2000});
  auto& [from, to] = ends.of;
  const std::vector<std::byte> sent(8);
  std::vector<std::byte> into(8);
  std::vector<std::byte> room(from.largest_datagram());
  Nanoseconds now{1};
  constexpr Handle messages = 40;
  for (Handle i = 0; i < messages; ++i) {
    from.send(1, 0, sent, i, now);
    to.receive(0, 0, into, i, now);
    ASSERT_TRUE(from.is_due(now));
    while (const auto outgoing = from.next_datagram(room, now))
      to.on_datagram(std::span(room).first(outgoing->length), now);
    EXPECT_EQ(from.counters().data_sent, i + 1) << "nothing waits";
    EXPECT_FALSE(from.is_due(now));
    while (const auto outgoing = to.next_datagram(room, now))
      from.on_datagram(std::span(room).first(outgoing->length), now);
    now += Nanoseconds{10'000};
  }
  EXPECT_EQ(from.counters().acks_sent, 0U);
  EXPECT_EQ(to.counters().acks_sent, messages / 5);
}

// After an outage, say.
TEST_F(EndpointPair, who_is_heard_on_one_channel_is_soon_asked_on_others) {
  const std::vector<std::byte> sent(3000);
  std::vector<std::byte> room(ends_[0].largest_datagram());
  ends_[0].send(1, 0, sent, 1, now_);
  const std::uint64_t& probes = ends_[0].counters().probes;
  while (probes < 8) {  // that nobody hears
    while (ends_[0].next_datagram(room, now_)) {
    }
    ASSERT_TRUE(ends_[0].deadline());
    now_ = *ends_[0].deadline();
  }
  now_ = now_ - Nanoseconds{500'000'000};
  EXPECT_FALSE(ends_[0].next_datagram(room, now_));
  ends_[1].send(0, 1, std::span(sent).first(100), 1, now_);
  pass_all();
  EXPECT_EQ(probes, 9U);
}

// What comes later says again what the lost answer did.
TEST_F(EndpointPair, an_answer_that_was_lost_tells_no_round_trip) {
  const std::vector<std::byte> sent(3000);
  std::vector<std::byte> into(3000);
  std::vector<std::byte> room(ends_[0].largest_datagram());
  ends_[0].send(1, 0, sent, 1, now_);
  ASSERT_TRUE(ends_[0].next_datagram(room, now_)) << "the announcement, lost";
  now_ = *ends_[0].deadline();
  const auto probe = ends_[0].next_datagram(room, now_);
  ASSERT_TRUE(probe && ends_[0].counters().probes == 1);
  ends_[1].on_datagram(std::span(room).first(probe->length), now_);
  ASSERT_TRUE(ends_[1].next_datagram(room, now_)) << "the answer, lost";
  now_ = now_ + Nanoseconds{100'000'000};
  ends_[1].receive(0, 0, into, 1, now_);
  const auto grant = ends_[1].next_datagram(room, now_);
  ASSERT_TRUE(grant);
  ends_[0].on_datagram(std::span(room).first(grant->length), now_);
  while (ends_[0].next_datagram(room, now_)) {  // data, lost
  }
  EXPECT_EQ(ends_[0].counters().data_sent, 3U);
  ASSERT_TRUE(ends_[0].deadline());
  EXPECT_LE(*ends_[0].deadline() - now_, ProbeTimes{}.first);
}

TEST_F(EndpointPair, who_asked_in_vain_asks_again_when_it_is_asked) {
  const std::vector<std::byte> sent(3000);
  std::vector<std::byte> into(3000);
  std::vector<std::byte> room(ends_[0].largest_datagram());
  ends_[1].receive_certain(0, 0, into, 1, now_);
  const auto grant = ends_[1].next_datagram(room, now_);
  ASSERT_TRUE(grant);
  ends_[0].on_datagram(std::span(room).first(grant->length), now_);
  ends_[0].send(1, 0, sent, 1, now_);
  const auto first = ends_[0].next_datagram(room, now_);
  ASSERT_TRUE(first && !first->is_ack);
  ends_[1].on_datagram(std::span(room).first(first->length), now_);
  while (ends_[0].next_datagram(room, now_)) {  // the others, lost
  }
  now_ = std::max(*ends_[0].deadline(), *ends_[1].deadline());
  while (ends_[0].next_datagram(room, now_)) {  // its probe, lost
  }
  EXPECT_EQ(ends_[0].counters().probes, 1U);
  pass_all();  // the other's probe
  EXPECT_EQ(completions(1), 1U);
}

TEST_F(EndpointPair, what_may_come_is_not_asked_for) {
  std::vector<std::byte> into(1000);
  ends_[1].receive_up_to(0, 0, into, 1, now_);
  EXPECT_TRUE(ends_[1].awaited().empty());
  EXPECT_FALSE(ends_[1].deadline());
  ends_[0].send(1, 0, std::vector<std::byte>(300), 1, now_);
  pass_all();
  const auto completed = ends_[1].next_completion();
  ASSERT_TRUE(completed && completed->matches);
  EXPECT_EQ(completed->length, 300U);
}

// A packet that was late arrives when its receiver has begun to want credit for it.
TEST(Endpoint, who_wants_no_credit_any_more_leaves_all_to_the_others_of_its_host) {
  ASSERT_TRUE(start_cryptography());
  std::array<CreditBoard, 3> boards{};
  std::array<CreditBudget, 3> budgets{CreditBudget(boards[0], 0, 4), CreditBudget(boards[1], 0, 4),
                                      CreditBudget(boards[2], 0, 4)};
  CreditBudget neighbours(boards[0], 1, 4);
  std::vector<std::unique_ptr<Endpoint>> ends;
  EndpointSettings settings;
  settings.peers = 3;
  settings.limits = {.payload = 1000, .unscheduled = 500};
  for (EndpointId self = 0; self < 3; ++self) {
    settings.self = self;
    ends.push_back(std::make_unique<Endpoint>(settings, budgets[self]));
  }
  Nanoseconds now{1};
  std::vector<std::byte> room(ends[0]->largest_datagram());
  const auto next_of = [&](Endpoint& end) {
    const auto outgoing = end.next_datagram(room, now);
    return std::vector<std::byte>(
        room.begin(), room.begin() + static_cast<long>(outgoing ? outgoing->length : 0));
  };
  const std::vector<std::byte> sent(1000);
  std::array<std::vector<std::byte>, 2> into{std::vector<std::byte>(1000),
                                             std::vector<std::byte>(100)};
  EXPECT_EQ(neighbours.take(4), 4U);
  ends[0]->receive(1, 0, into[0], 1, now);
  ends[0]->receive(2, 0, into[1], 2, now);
  ends[1]->send(0, 0, sent, 1, now);
  auto announcement = next_of(*ends[1]);
  ends[0]->on_datagram(announcement, now);
  auto grant = next_of(*ends[0]);
  ends[2]->send(0, 0, std::span(sent).first(100), 1, now);
  auto late = next_of(*ends[2]);
  now += settings.times.first * 2;
  auto probe = next_of(*ends[2]);
  ends[0]->on_datagram(probe, now);
  EXPECT_EQ(boards[0].taken[0].load(), 1 | CreditBoard::credit_blocked);
  ends[0]->on_datagram(late, now);
  EXPECT_EQ(boards[0].taken[0].load(), 1U);
  ends[1]->on_datagram(grant, now);
  auto data = next_of(*ends[1]);
  ends[0]->on_datagram(data, now);
  std::size_t completions = 0;
  while (ends[0]->next_completion()) ++completions;
  EXPECT_EQ(completions, 2U);
  neighbours.give_back(4);
  EXPECT_EQ(neighbours.take(4), 4U);
}

TEST_F(EndpointPair, a_certain_message_leaves_with_its_first_grant) {
  const std::vector<std::byte> sent(3000);
  std::vector<std::byte> into(3000);
  ends_[1].receive_certain(0, 0, into, 1, now_);
  pass_all();
  ends_[0].send(1, 0, sent, 1, now_);
  std::vector<std::byte> room(ends_[0].largest_datagram());
  bool any_data = false;
  while (const auto outgoing = ends_[0].next_datagram(room, now_)) any_data |= !outgoing->is_ack;
  EXPECT_TRUE(any_data) << "without another word of the receiver";
}

}  // namespace
}  // namespace quadrille::wire
