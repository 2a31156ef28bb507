// SPDX-License-Identifier: BSD-3-Clause
#include "apps/lab/delay_line.h"

#include <gtest/gtest.h>

namespace quadrille::lab {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(DelayLine, a_frame_leaves_exactly_after_its_delay) {
  DelayLine line(10 * kMs, 0, 1);
  line.push({'a'}, 5000 * kMs);
  EXPECT_EQ(line.next_ns(), 5010 * kMs);
  EXPECT_FALSE(line.pop_due(5010 * kMs - 1));
  EXPECT_EQ(line.pop_due(5010 * kMs), Frame{'a'});
  EXPECT_FALSE(line.next_ns());
  EXPECT_FALSE(line.pop_due(6000 * kMs));
}

TEST(DelayLine, jitter_stays_within_its_bounds_and_never_reorders) {
  DelayLine line(10 * kMs, 4 * kMs, 1);
  EXPECT_EQ(line.least_ns(), 6 * kMs);
  for (int number = 0; number < 100; ++number) line.push({static_cast<char>(number)}, number * kMs);
  std::int64_t previous = 0;
  std::int64_t shortest = 20 * kMs;
  std::int64_t longest = 0;
  for (int number = 0; number < 100; ++number) {
    const auto leaves = line.next_ns();
    ASSERT_TRUE(leaves);
    EXPECT_GE(*leaves, previous);
    previous = *leaves;
    shortest = std::min(shortest, *leaves - number * kMs);
    longest = std::max(longest, *leaves - number * kMs);
    EXPECT_EQ(line.pop_due(*leaves), Frame{static_cast<char>(number)});
  }
  EXPECT_GE(shortest, 6 * kMs);
  EXPECT_LE(longest, 14 * kMs);
  EXPECT_GT(longest - shortest, 2 * kMs);
}

}  // namespace
}  // namespace quadrille::lab
