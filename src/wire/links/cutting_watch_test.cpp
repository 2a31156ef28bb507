// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/cutting_watch.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds kStart{5'000'000'000};

TEST(CuttingWatch, pauses_where_nearly_all_that_leaves_has_left_before) {
  CuttingWatch watch;
  EXPECT_TRUE(watch.look(50, 49, kStart)) << "too few to tell";
  EXPECT_FALSE(watch.look(70, 50, kStart));
  EXPECT_TRUE(watch.has_paused());
  EXPECT_FALSE(watch.look(5000, 50, kStart + CuttingWatch::first_pause - Nanoseconds{1}));
  EXPECT_TRUE(watch.look(5001, 50, kStart + CuttingWatch::first_pause));
}

TEST(CuttingWatch, pauses_longer_each_time) {
  CuttingWatch watch;
  Nanoseconds now = kStart;
  std::uint64_t sent = 0;
  for (Nanoseconds pause = CuttingWatch::first_pause; pause <= CuttingWatch::longest_pause;
       pause = pause * 2) {
    sent += 100;
    EXPECT_FALSE(watch.look(sent, sent, now));
    EXPECT_FALSE(watch.look(sent, sent, now + pause - Nanoseconds{1}));
    now = now + pause;
    EXPECT_TRUE(watch.look(sent, sent, now));
  }
}

TEST(CuttingWatch, losses_and_refusals_are_no_reason) {
  CuttingWatch watch;
  for (std::uint64_t sent = 100; sent < 10'000; sent += 100)
    EXPECT_TRUE(watch.look(sent, sent / 2, kStart)) << "each had to go twice";
  EXPECT_FALSE(watch.has_paused());
}

}  // namespace
}  // namespace quadrille::wire
