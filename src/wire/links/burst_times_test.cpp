// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/burst_times.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds us(std::int64_t count) { return {count * 1000}; }

TEST(BurstTimes, tells_the_shortest_time_of_so_many_bytes) {
  BurstTimes times;
  EXPECT_FALSE(times.take(3000));
  for (const std::int64_t at : {0, 10, 20, 30}) times.add(1000, us(at));
  EXPECT_EQ(times.take(3000), us(30)) << "the first one's own time is not known";
  EXPECT_FALSE(times.take(3000));
  for (const std::int64_t at : {40, 45, 50, 60, 70, 80}) times.add(1000, us(at));
  EXPECT_EQ(times.take(3000), us(20)) << "of two the shorter, each from the end of the one before";
}

TEST(BurstTimes, what_comes_after_a_gap_or_a_step_of_the_clock_is_another_burst) {
  BurstTimes times;
  times.take(2000);
  times.add(1000, us(0));
  times.add(1000, us(10));
  times.add(1000, us(1000));
  times.add(1000, us(1010));
  EXPECT_FALSE(times.take(2000));
  times.add(1000, us(500));
  times.add(1000, us(510));
  EXPECT_FALSE(times.take(2000));
  times.add(1000, us(525));
  EXPECT_EQ(times.take(2000), us(25));
}

TEST(BurstTimes, asked_for_another_number_of_bytes_begins_anew) {
  BurstTimes times;
  times.take(2000);
  for (const std::int64_t at : {0, 10, 20}) times.add(1000, us(at));
  EXPECT_FALSE(times.take(1000));
  times.add(1000, us(30));
  times.add(1000, us(37));
  EXPECT_EQ(times.take(1000), us(7)) << "the first is where the next burst begins";
}

}  // namespace
}  // namespace quadrille::wire
