// SPDX-License-Identifier: BSD-3-Clause
// How long a probe waits.
#include "wire/flow/probe_timer.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds ms(std::int64_t count) { return {count * 1'000'000}; }

TEST(ProbeTimer, asks_after_a_program_each_second_and_again_soon_where_no_answer_came) {
  ProbeTimer timer({});
  EXPECT_EQ(timer.due(Side::in, Awaiting::program), ms(1000));
  timer.asked(ms(1000));
  EXPECT_EQ(timer.due(Side::in, Awaiting::program), ms(1000 + 2 * 60));
  timer.asked(ms(1120));
  EXPECT_EQ(timer.due(Side::in, Awaiting::program), ms(1120 + 4 * 60));
  timer.heard();
  EXPECT_EQ(timer.due(Side::in, Awaiting::program), ms(1120 + 1000));
}

TEST(ProbeTimer, is_not_deceived_for_long_by_a_process_that_was_stopped) {
  ProbeTimer timer({});
  for (int i = 0; i < 50; ++i) timer.round_trip(Nanoseconds{100'000});
  EXPECT_EQ(timer.interval(), ms(5));
  timer.round_trip(ms(900));
  EXPECT_LT(timer.interval(), ms(30));
}

TEST(ProbeTimer, finds_that_round_trips_have_become_long) {
  ProbeTimer timer({});
  for (int i = 0; i < 50; ++i) timer.round_trip(Nanoseconds{100'000});
  for (int i = 0; i < 10; ++i) timer.round_trip(ms(300));
  EXPECT_GT(timer.interval(), ms(300));
}

}  // namespace
}  // namespace quadrille::wire
