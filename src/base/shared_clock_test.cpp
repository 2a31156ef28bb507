// SPDX-License-Identifier: BSD-3-Clause
#include "base/shared_clock.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace quadrille {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(EstimateFrom, a_symmetric_exchange_finds_the_offset) {
  // The other clock is 5000 ahead; 100 there, 100 back.
  const auto estimate = estimate_from(1000, 1100 + 5000, 1200);
  EXPECT_EQ(estimate.offset_ns, 5000);
  EXPECT_EQ(estimate.uncertainty_ns, 100);
}

TEST(EstimateFrom, is_wrong_by_no_more_than_its_uncertainty_however_lopsided) {
  for (std::int64_t there = 0; there <= 400; ++there) {
    const auto estimate = estimate_from(0, there - 70, 400);
    EXPECT_LE(std::abs(estimate.offset_ns + 70), estimate.uncertainty_ns) << there;
  }
}

TEST(SharedClock, converts_there_and_back) {
  SharedClock clock;
  clock.learn({.at_ns = 10 * kSecond, .offset_ns = -12345, .uncertainty_ns = 10});
  EXPECT_EQ(clock.to_shared(11 * kSecond), 11 * kSecond + 12345);
  EXPECT_EQ(clock.to_local(clock.to_shared(11 * kSecond)), 11 * kSecond);
}

TEST(SharedClock, takes_a_difference_within_the_uncertainty_for_no_drift) {
  SharedClock clock;
  clock.learn({.at_ns = 0, .offset_ns = 100, .uncertainty_ns = 2000});
  clock.learn({.at_ns = 10 * kSecond, .offset_ns = 3000, .uncertainty_ns = 2000});
  EXPECT_EQ(clock.drift_ppm(), 0);
  EXPECT_EQ(clock.to_shared(20 * kSecond), 20 * kSecond - 3000);
}

TEST(SharedClock, keeps_a_good_estimate_when_a_bad_one_follows_and_says_how_it_aged) {
  SharedClock clock;
  clock.learn({.at_ns = 0, .offset_ns = 100, .uncertainty_ns = 5000});
  clock.learn({.at_ns = kSecond, .offset_ns = 900'000, .uncertainty_ns = 1'500'000});
  EXPECT_EQ(clock.to_shared(2 * kSecond), 2 * kSecond - 100);
  EXPECT_EQ(clock.uncertainty_ns(), 105'000);
}

TEST(SharedClock, extrapolates_a_drift_that_is_certain) {
  SharedClock clock;
  // 20 ppm: 200 us in ten seconds.
  clock.learn({.at_ns = 0, .offset_ns = 0, .uncertainty_ns = 1000});
  clock.learn({.at_ns = 10 * kSecond, .offset_ns = 200'000, .uncertainty_ns = 1000});
  EXPECT_NEAR(clock.drift_ppm(), 20, 0.001);
  EXPECT_EQ(clock.to_shared(15 * kSecond), 15 * kSecond - 300'000);
  EXPECT_NEAR(static_cast<double>(clock.to_local(clock.to_shared(15 * kSecond)) - 15 * kSecond), 0,
              10);
}

}  // namespace
}  // namespace quadrille
