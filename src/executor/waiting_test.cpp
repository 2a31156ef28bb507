// SPDX-License-Identifier: BSD-3-Clause
#include "executor/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace quadrille {
namespace {

std::vector<Nanoseconds> sleeps_in(Waiting& waiting, int polls) {
  std::vector<Nanoseconds> sleeps;
  for (int i = 0; i < polls; ++i) waiting.idle([&](Nanoseconds time) { sleeps.push_back(time); });
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

TEST(Waiting, left_to_itself_it_keeps_its_core_for_a_while_and_sleeps_in_the_end) {
  Waiting waiting;
  EXPECT_TRUE(sleeps_in(waiting, 50).empty());
  EXPECT_FALSE(sleeps_in(waiting, 100'000).empty());
}

}  // namespace
}  // namespace quadrille
