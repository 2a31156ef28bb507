// SPDX-License-Identifier: BSD-3-Clause
#include "probe/reach/network_worth.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace quadrille::probe {
namespace {

constexpr double kRateBitS = 25e6;

// Full frames back to back at 25 Mbit/s.
std::vector<Arrival> train(std::uint32_t frames) {
  std::vector<Arrival> arrivals;
  for (std::uint32_t i = 0; i < frames; ++i) {
    const double at_ns = (i + 1) * kFullFrameBytes * 8e9 / kRateBitS;
    arrivals.push_back({i, static_cast<std::int64_t>(at_ns), 0});
  }
  return arrivals;
}

TEST(NetworkWorth, reads_the_rate_off_a_train_with_lost_and_wrong_arrivals) {
  auto arrivals = train(20);
  EXPECT_NEAR(rate_of_train(arrivals, kFullFrameBytes), kRateBitS, 0.001 * kRateBitS);
  arrivals[7].at_ns += 900'000'000;
  arrivals.erase(arrivals.begin() + 12, arrivals.begin() + 15);
  EXPECT_NEAR(rate_of_train(arrivals, kFullFrameBytes), kRateBitS, 0.02 * kRateBitS);
}

TEST(NetworkWorth, does_not_mind_frames_handed_over_in_batches) {
  auto arrivals = train(40);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    arrivals[i].at_ns = arrivals[std::min(arrivals.size() - 1, i / 4 * 4 + 3)].at_ns;
  }
  EXPECT_NEAR(rate_of_train(arrivals, kFullFrameBytes), kRateBitS, 0.05 * kRateBitS);
}

TEST(NetworkWorth, ignores_what_a_token_bucket_lets_pass_at_once) {
  auto arrivals = train(8);
  for (auto& arrival : arrivals) {
    arrival.at_ns = std::max<std::int64_t>(0, arrival.at_ns - arrivals[2].at_ns);
  }
  EXPECT_NEAR(rate_of_train(arrivals, kFullFrameBytes), kRateBitS, 0.001 * kRateBitS);
}

TEST(NetworkWorth, knows_no_rate_of_too_few_arrivals) {
  EXPECT_EQ(rate_of_train({}, kFullFrameBytes), 0);
  EXPECT_EQ(rate_of_train(train(3), kFullFrameBytes), 0);
}

TEST(NetworkWorth, prefers_rate_then_round_trip_then_order) {
  EXPECT_EQ(best_worth({{0, 10e6, 100'000}, {1, 100e6, 400'000}}), 1U);
  EXPECT_EQ(best_worth({{0, 95e6, 400'000}, {1, 100e6, 500'000}, {2, 90e6, 100'000}}), 2U);
  EXPECT_EQ(best_worth({{0, 95e6, 105'000}, {1, 100e6, 100'000}}), 0U);
  EXPECT_EQ(best_worth({{0, 0, 0}, {1, 0, 0}}), 0U);
  EXPECT_EQ(best_worth({{0, 0, 0}, {1, 10e6, 0}}), 1U);
}

}  // namespace
}  // namespace quadrille::probe
