// SPDX-License-Identifier: BSD-3-Clause
#include "wire/reach_rounds.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds round_ms(std::int64_t count) { return {count * 1'000'000}; }
using Verdict = ReachRounds::Verdict;

// Looks every millisecond up to `end`.
void runs(ReachRounds& rounds, Nanoseconds& now, Nanoseconds end) {
  for (; now < end; now += round_ms(1)) rounds.look(now);
}

TEST(ReachRounds, silence_of_ranks_that_all_ran_is_the_networks) {
  ReachRounds rounds(round_ms(1000));
  Nanoseconds now{};
  runs(rounds, now, round_ms(300));
  EXPECT_FALSE(rounds.is_over(now)) << "others have not begun";
  rounds.begin(now);
  runs(rounds, now, round_ms(1299));
  EXPECT_FALSE(rounds.is_over(now));
  runs(rounds, now, round_ms(1301));
  EXPECT_TRUE(rounds.is_over(now));
  EXPECT_FALSE(rounds.was_held_up());
  EXPECT_EQ(rounds.judge(true, false), Verdict::not_reached);
  EXPECT_EQ(rounds.judge(false, false), Verdict::reached);
}

TEST(ReachRounds, a_rank_that_was_stopped_is_waited_for_once_more) {
  ReachRounds rounds(round_ms(1000));
  Nanoseconds now{};
  rounds.begin(now);
  runs(rounds, now, round_ms(400));
  now = round_ms(2400);
  runs(rounds, now, round_ms(2410));
  EXPECT_TRUE(rounds.is_over(now));
  EXPECT_TRUE(rounds.was_held_up());
  EXPECT_EQ(rounds.judge(true, true), Verdict::wait);
  rounds.begin(now);
  runs(rounds, now, round_ms(3420));
  EXPECT_FALSE(rounds.was_held_up()) << "of the second round";
}

TEST(ReachRounds, slices_of_a_crowded_processor_add_up) {
  ReachRounds rounds(round_ms(1000));
  Nanoseconds now{};
  rounds.begin(now);
  for (int slice = 0; slice < 8; ++slice) {
    now += round_ms(117);
    runs(rounds, now, now + round_ms(3));
  }
  EXPECT_TRUE(rounds.was_held_up());
}

TEST(ReachRounds, short_pauses_are_none) {
  ReachRounds rounds(round_ms(1000));
  Nanoseconds now{};
  rounds.begin(now);
  for (int i = 0; i < 30; ++i) rounds.look(now += round_ms(33));
  EXPECT_FALSE(rounds.was_held_up());
}

TEST(ReachRounds, end_where_all_are_held_up_for_ever) {
  ReachRounds rounds(round_ms(1000));
  Nanoseconds now{};
  std::uint32_t count = 0;
  do {
    rounds.begin(now);
    rounds.look(now += round_ms(1000));
    ++count;
  } while (rounds.judge(true, rounds.was_held_up()) == Verdict::wait);
  EXPECT_EQ(count, ReachRounds::most_rounds);
}

}  // namespace
}  // namespace quadrille::wire
