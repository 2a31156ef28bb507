// SPDX-License-Identifier: BSD-3-Clause
// Departure times, drops and ambient load against values computed by hand.
#include "probe/simulated/egress_queue.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

constexpr double kRate = 8e6;  // a byte a microsecond

QueuePlan plain(std::uint32_t limit_bytes) {
  QueuePlan plan;
  plan.rate_bit_s = kRate;
  plan.limit_bytes = limit_bytes;
  return plan;
}

TEST(EgressQueue, serialises_one_frame_after_the_other) {
  Chance chance(1);
  EgressQueue queue(plain(10'000));
  EXPECT_EQ(queue.accept(0, 1000, chance), 1'000'000);
  EXPECT_EQ(queue.accept(0, 1000, chance), 2'000'000);
  EXPECT_EQ(queue.accept(500'000, 500, chance), 2'500'000);
  EXPECT_EQ(queue.accept(9'000'000, 1000, chance), 10'000'000);
}

TEST(EgressQueue, drops_what_does_not_fit_and_counts_whole_frames) {
  Chance chance(1);
  EgressQueue queue(plain(2500));
  EXPECT_TRUE(queue.accept(0, 1000, chance));
  EXPECT_TRUE(queue.accept(0, 1000, chance));
  EXPECT_FALSE(queue.accept(0, 1000, chance));
  EXPECT_TRUE(queue.accept(0, 500, chance));
  // The first frame is half out, and still takes all of its room.
  EXPECT_EQ(queue.occupied_bytes(500'000, chance), 2500U);
  EXPECT_FALSE(queue.accept(500'000, 500, chance));
  EXPECT_EQ(queue.occupied_bytes(1'000'000, chance), 1500U);
  EXPECT_EQ(queue.accept(1'000'000, 1000, chance), 3'500'000);
}

TEST(EgressQueue, token_bucket_lets_two_frames_of_an_idle_queue_pass_at_once) {
  Chance chance(1);
  QueuePlan plan = plain(100'000);
  plan.bucket_bytes = 2000;
  EgressQueue queue(plan);
  EXPECT_EQ(queue.accept(0, 1000, chance), 0);
  EXPECT_EQ(queue.accept(0, 1000, chance), 0);
  EXPECT_EQ(queue.accept(0, 1000, chance), 1'000'000);
  EXPECT_EQ(queue.accept(0, 1000, chance), 2'000'000);
  // Half a millisecond after the last, 500 bytes of tokens are there.
  EXPECT_EQ(queue.accept(2'500'000, 500, chance), 2'500'000);
  EXPECT_EQ(queue.accept(2'500'000, 1000, chance), 3'500'000);
}

TEST(EgressQueue, without_a_rate_only_delays) {
  Chance chance(1);
  QueuePlan plan;
  plan.delay_ns = 7;
  EgressQueue queue(plan);
  EXPECT_EQ(queue.accept(100, 1514, chance), 107);
  EXPECT_EQ(queue.accept(100, 1514, chance), 107);
}

TEST(EgressQueue, ambient_frames_take_their_share) {
  Chance chance(1);
  QueuePlan plan = plain(10'000'000);
  plan.ambient_share = 0.3;
  EgressQueue queue(plan);
  // 80 % of ours and 30 % of theirs for ten seconds keep the link busy for eleven.
  std::int64_t left_ns = 0;
  for (std::int64_t now = 0; now < 10'000'000'000; now += 1'250'000) {
    left_ns = queue.accept(now, 1000, chance).value_or(0);
  }
  EXPECT_NEAR(static_cast<double>(left_ns), 11e9, 0.15e9);
}

TEST(EgressQueue, ambient_load_delays_a_rare_frame_as_queueing_theory_says) {
  Chance chance(3);
  QueuePlan plan = plain(1'000'000);
  plan.ambient_share = 0.5;
  EgressQueue queue(plan);
  double waited_ns = 0;
  constexpr int frames = 20'000;
  for (int at = 1; at <= frames; ++at) {
    const std::int64_t now = std::int64_t{at} * 100'000'000;
    waited_ns += static_cast<double>(queue.accept(now, 100, chance).value() - now - 100'000);
  }
  // M/D/1: mean wait = load / (2 (1 - load)) service times of a millisecond.
  EXPECT_NEAR(waited_ns / frames, 500'000, 20'000);
}

}  // namespace
}  // namespace quadrille::probe
