// SPDX-License-Identifier: BSD-3-Clause
#include "executor/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace quadrille {
namespace {

std::vector<Nanoseconds> sleeps_in(Waiting& waiting, int polls) {
  std::vector<Nanoseconds> sleeps;
  for (int i = 0; i < polls; ++i)
    waiting.idle(false, [&](Nanoseconds time) { sleeps.push_back(time); });
  return sleeps;
}

TEST(Waiting, who_spins_never_sleeps) {
  Waiting waiting(WaitingMode::spin);
  EXPECT_TRUE(sleeps_in(waiting, 100'000).empty());
}

TEST(Waiting, who_sleeps_does_so_soon_and_longer_and_longer_and_anew_when_something_has_come) {
  Waiting waiting(WaitingMode::sleep);
  const auto sleeps = sleeps_in(waiting, 200);
  ASSERT_GT(sleeps.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(sleeps));
  EXPECT_LT(sleeps.front(), Nanoseconds{100'000});
  EXPECT_EQ(sleeps.back(), Nanoseconds{1'000'000});
  waiting.progressed();
  const auto again = sleeps_in(waiting, 200);
  EXPECT_EQ(again, sleeps);
}

// A core whose time goes on by what polls and yields take.
class Emulated : public ::testing::Test {
 protected:
  Emulated() { time = Nanoseconds{1}, yields = 0, yield_takes = Nanoseconds{500}; }

  // Polls until the first sleep.
  static int polls_before_sleep(Waiting& waiting, bool offers_at_once) {
    int polls = 0;
    for (bool sleeps = false; !sleeps; ++polls) {
      time += Nanoseconds{1000};
      waiting.idle(offers_at_once, [&](Nanoseconds) { sleeps = true; });
    }
    return polls - 1;
  }

  static inline Nanoseconds time{};
  static inline Nanoseconds yield_takes{};
  static inline int yields = 0;
  Core core_{[] { return time; },
             [] {
               ++yields;
               time += yield_takes;
             },
             [](Nanoseconds) { return false; }};
};

TEST_F(Emulated, a_core_that_nobody_wants_is_kept_for_two_milliseconds) {
  for (const bool offers_at_once : {false, true}) {
    Waiting waiting(WaitingMode::automatic, core_);
    const Nanoseconds began = time;
    polls_before_sleep(waiting, offers_at_once);
    EXPECT_GT(time - began, Nanoseconds{2'000'000});
    EXPECT_LT(time - began, Nanoseconds{2'100'000});
  }
}

TEST_F(Emulated, who_offers_the_core_at_once_does_so_after_each_poll_but_the_first) {
  Waiting woken(WaitingMode::automatic, core_);
  EXPECT_EQ(yields, 0);
  const int polls = polls_before_sleep(woken, true);
  EXPECT_EQ(yields, polls - 1);
  yields = 0;
  Waiting blind(WaitingMode::automatic, core_);
  EXPECT_EQ(yields, polls_before_sleep(blind, false) - 64);
}

TEST_F(Emulated, among_others_who_wait_the_core_is_offered_for_a_millisecond) {
  yield_takes = Nanoseconds{100'000};
  Waiting waiting(WaitingMode::automatic, core_);
  const int polls = polls_before_sleep(waiting, true);
  EXPECT_GE(polls, 10);
  EXPECT_LE(polls, 12);
}

TEST_F(Emulated, a_core_that_somebody_keeps_is_given_away_at_once_and_looked_at_again_later) {
  yield_takes = Nanoseconds{3'000'000};
  for (int i = 0; i < 2; ++i) {  // the first might have been others who wait
    Waiting first(WaitingMode::automatic, core_);
    EXPECT_EQ(polls_before_sleep(first, true), 2);
    EXPECT_EQ(yields, i + 1);
  }
  for (int i = 0; i < 10; ++i) {
    Waiting later(WaitingMode::automatic, core_);
    EXPECT_EQ(polls_before_sleep(later, true), 0);
  }
  EXPECT_EQ(yields, 2);
  time += Nanoseconds{100'000'000};
  yield_takes = Nanoseconds{500};
  Waiting again(WaitingMode::automatic, core_);
  EXPECT_GT(polls_before_sleep(again, true), 1000);
}

}  // namespace
}  // namespace quadrille
