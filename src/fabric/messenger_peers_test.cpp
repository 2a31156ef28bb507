// SPDX-License-Identifier: BSD-3-Clause
// Strangers, forgers and the dead.
#include "fabric/messenger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "fabric/messenger_fixture.h"
#include "fabric/names/introduction.h"

namespace quadrille::fabric {
namespace {

TEST_P(MessengerTest, a_sender_that_is_in_no_address_vector_is_heard_if_it_is_of_the_job) {
  for (const bool of_the_job : {true, false}) {
    make(2, false, of_the_job);
    const auto sent = contents(500, 1);
    std::vector<std::byte> into(500);
    receive(1, into, {.from = {}, .tag = 1});
    send(0, 1, sent, 1);
    run(Nanoseconds{200'000'000});
    EXPECT_EQ(into == sent, of_the_job);
    EXPECT_EQ(ends_[1]->strangers() > 0, !of_the_job);
    peer(1, 0);  // it is inserted later: all that it has said comes again
    run(Nanoseconds{3'000'000'000});
    EXPECT_EQ(into, sent);
    ends_.clear();
    inboxes_.clear();
    keys_.clear();
    done_.clear();
  }
}

TEST_P(MessengerTest, altered_and_foreign_datagrams_change_nothing) {
  make(2);
  std::mt19937 chance(4);
  std::vector<std::byte> into(100);
  receive(1, into, {.from = {}, .tag = 1});
  const auto before = into;
  std::vector<std::byte> room(4096);
  const auto sent = contents(100, 1);
  send(0, 1, sent, 1);
  std::vector<std::vector<std::byte>> genuine;
  while (const auto outgoing = ends_[0]->next_datagram(room, now_))
    genuine.emplace_back(room.begin(), room.begin() + static_cast<long>(outgoing->length));
  ASSERT_GE(genuine.size(), 2U);
  for (int round = 0; round < 3000; ++round) {
    auto forged = genuine[chance() % genuine.size()];
    forged[chance() % forged.size()] ^= static_cast<std::byte>(1 + chance() % 255);
    if (chance() % 3 == 0) forged.resize(chance() % forged.size());
    const wire::NetworkAddress from =
        chance() % 4 == 0 ? wire::NetworkAddress{0x0a000007, 9} : ends_[0]->name().at;
    ends_[1]->on_datagram(from, forged, now_);
    ASSERT_TRUE(ends_[1]->done().empty());
  }
  EXPECT_EQ(into, before);
  for (auto& datagram : genuine) ends_[1]->on_datagram(ends_[0]->name().at, datagram, now_);
  run();
  EXPECT_EQ(into, sent);
}

TEST_P(MessengerTest, all_that_waits_for_a_dead_peer_ends) {
  make(3);
  const auto large = contents(100'000, 1);
  std::vector<std::byte> into(10);
  std::vector<std::byte> from_all(10);
  receive(0, into, {.from = peer(0, 1), .tag = 1}, 1);
  receive(0, from_all, {.from = {}, .tag = 2}, 2);
  dead_ = 1;
  send(0, 1, large, 1, 3);
  run(Nanoseconds{5'000'000'000});
  ASSERT_EQ(done_[0].size(), 2U);
  for (const Done& done : done_[0]) EXPECT_EQ(done.outcome, Outcome::peer_lost);
  done_[0].clear();
  send(0, 1, large, 1, 4);
  receive(0, into, {.from = peer(0, 1), .tag = 1}, 5);
  const auto sent = contents(10, 2);
  send(2, 0, sent, 2);
  run();
  EXPECT_EQ(done_[0].size(), 3U);
  EXPECT_EQ(from_all, sent) << "others go on";
}

TEST_P(MessengerTest, who_only_waits_for_a_peer_that_ends_learns_of_it) {
  make(3);
  std::vector<std::byte> into(10);
  receive(0, into, {.from = peer(0, 1), .tag = 1}, 1);
  dead_ = 1;
  run(Nanoseconds{20'000'000'000});
  ASSERT_EQ(done_[0].size(), 1U);
  EXPECT_EQ(done_[0].front().outcome, Outcome::peer_lost);
}

TEST_P(MessengerTest, who_has_offered_to_a_peer_that_ends_learns_of_it) {
  make(2);
  const auto large = contents(100'000, 1);
  send(0, 1, large, 1, 3);
  run(Nanoseconds{1'000'000'000});
  ASSERT_TRUE(done_[0].empty()) << "no receive takes it";
  dead_ = 1;
  run(Nanoseconds{20'000'000'000});
  ASSERT_EQ(done_[0].size(), 1U);
  EXPECT_EQ(done_[0].front().outcome, Outcome::peer_lost);
}

TEST_P(MessengerTest, who_waits_for_one_that_computes_goes_on_waiting) {
  make(2);
  std::vector<std::byte> into(10);
  receive(0, into, {.from = peer(0, 1), .tag = 1}, 1);
  run(Nanoseconds{100'000'000'000});
  EXPECT_LT(datagrams_, 300U);
  ASSERT_TRUE(done_[0].empty());
  send(1, 0, contents(10, 4), 1);
  run(Nanoseconds{1'000'000'000});
  EXPECT_EQ(into, contents(10, 4));
}

TEST_P(MessengerTest, who_was_given_up_by_a_peer_that_lives_learns_of_it) {
  make(3);
  std::vector<std::byte> into(10);
  std::vector<std::byte> from_third(10);
  receive(0, from_third, {.from = peer(0, 2), .tag = 2}, 2);
  receive(0, into, {.from = peer(0, 1), .tag = 1}, 1);
  const auto large = contents(100'000, 1);
  send(0, 1, large, 1, 3);
  give_up(1, 0);
  run(Nanoseconds{5'000'000'000});
  ASSERT_EQ(done_[0].size(), 2U);
  for (const Done& done : done_[0]) EXPECT_EQ(done.outcome, Outcome::peer_lost);
  send(2, 0, contents(10, 4), 2);
  run(Nanoseconds{1'000'000'000});
  EXPECT_EQ(from_third, contents(10, 4)) << "others go on";
}

TEST_P(MessengerTest, a_forged_farewell_is_none) {
  make(2);
  std::vector<std::byte> into(10);
  receive(0, into, {.from = peer(0, 1), .tag = 1}, 1);
  const wire::Secret unknown{};
  std::vector<std::byte> forged(introduction_bytes);
  write_farewell(ends_[1]->name(), ends_[0]->name(), unknown, forged);
  ends_[0]->on_datagram(ends_[1]->name().at, forged, now_);
  run(Nanoseconds{1'000'000'000});
  EXPECT_TRUE(done_[0].empty());
  send(1, 0, contents(10, 4), 1);
  run(Nanoseconds{1'000'000'000});
  EXPECT_EQ(into, contents(10, 4));
}

TEST_P(MessengerTest, all_that_waits_ends_where_nobody_is_reached_any_more) {
  make(3);
  const auto large = contents(100'000, 1);
  std::vector<std::byte> into(10);
  receive(0, into, {.from = peer(0, 1), .tag = 1}, 1);
  send(0, 2, large, 1, 2);
  ends_[0]->lose_everybody();
  run();
  ASSERT_EQ(done_[0].size(), 2U);
  for (const Done& done : done_[0]) EXPECT_EQ(done.outcome, Outcome::peer_lost);
  EXPECT_TRUE(ends_[0]->is_idle());
}

TEST_P(MessengerTest, what_waits_for_anybody_ends_too_where_nobody_is_reached_any_more) {
  make(3);
  std::vector<std::byte> before(10);
  std::vector<std::byte> after(10);
  std::vector<std::byte> whole(10);
  send(1, 0, contents(10, 1), 5);
  run();
  receive(0, before, {.from = {}, .tag = 1}, 1);
  ends_[0]->lose_everybody();
  receive(0, after, {.from = {}, .tag = 2}, 2);
  run();
  ASSERT_EQ(done_[0].size(), 2U);
  for (const Done& done : done_[0]) EXPECT_EQ(done.outcome, Outcome::peer_lost);
  receive(0, whole, {.from = {}, .tag = any_tag, .ignore = any_tag}, 3);
  run();
  ASSERT_EQ(done_[0].size(), 3U);
  EXPECT_EQ(done_[0].back().outcome, Outcome::success) << "it had come before";
  EXPECT_EQ(whole, contents(10, 1));
}

TEST_P(MessengerTest, who_is_met_where_nobody_is_reached_any_more_is_lost_at_once) {
  make(2, false);
  ends_[0]->lose_everybody();
  send(0, 1, contents(10, 1), 1);
  run();
  ASSERT_EQ(done_[0].size(), 1U);
  EXPECT_EQ(done_[0].front().outcome, Outcome::peer_lost);
}

TEST_P(MessengerTest, what_waits_from_who_is_lost_can_be_discarded) {
  make(2);
  const auto large = contents(100'000, 1);
  send(0, 0, large, 1, 1);
  send(1, 0, large, 2, 2);
  run(Nanoseconds{1'000'000'000});
  ends_[0]->lose_everybody();
  for (const std::uint64_t tag : {1U, 2U}) {
    ASSERT_TRUE(ends_[0]->peek(true, {.from = {}, .tag = tag}, &now_));
    EXPECT_TRUE(ends_[0]->discard_claimed(&now_, now_));
  }
  run(Nanoseconds{1'000'000'000});
  ASSERT_EQ(done_[0].size(), 1U) << "of what was sent to oneself";
  EXPECT_EQ(done_[0].front().outcome, Outcome::peer_lost);
}

}  // namespace
}  // namespace quadrille::fabric
