// SPDX-License-Identifier: BSD-3-Clause
// Offsets and drift of a clock from samples of known error.
#include "probe/measure/host_clock.h"

#include <gtest/gtest.h>

#include <random>

namespace quadrille::probe {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

TEST(HostClock, knows_nothing_before_its_first_sample) {
  const HostClock clock;
  EXPECT_EQ(clock.ahead_ns(5), 0);
  EXPECT_GT(clock.uncertainty_ns(0), second_ns * 1000);
}

TEST(HostClock, a_certain_sample_replaces_a_coarse_one) {
  HostClock clock;
  clock.learn({0, 7'400'000, 900'000});
  clock.learn({50'000'000, 7'000'000, 20'000});
  EXPECT_EQ(clock.ahead_ns(50'000'000), 7'000'000);
}

TEST(HostClock, a_sample_worse_than_what_is_known_is_not_taken) {
  HostClock clock;
  clock.learn({0, 1000, 10'000});
  clock.learn({1'000'000, 400'000, 800'000});
  EXPECT_EQ(clock.ahead_ns(1'000'000), 1000);
}

TEST(HostClock, drift_is_found_between_noisy_samples) {
  for (const double true_drift : {40e-6, -90e-6, 3e-6}) {
    HostClock clock;
    std::mt19937 chance{7};
    std::uniform_int_distribution<std::int64_t> noise(-8000, 8000);
    for (int sample = 0; sample <= 5; ++sample) {
      const std::int64_t at_ns = 2 * sample * second_ns;
      const auto ahead_ns =
          5'000'000 + static_cast<std::int64_t>(true_drift * static_cast<double>(at_ns));
      clock.learn({at_ns, ahead_ns + noise(chance), 10'000 + 10 * sample});
    }
    const std::int64_t later_ns = 11 * second_ns;
    const auto truth = 5'000'000 + static_cast<std::int64_t>(true_drift * 11e9);
    EXPECT_NEAR(static_cast<double>(clock.ahead_ns(later_ns)), static_cast<double>(truth), 25'000)
        << true_drift;
  }
}

TEST(HostClock, no_drift_is_made_of_noise) {
  HostClock clock;
  clock.learn({0, 1000, 10'000});
  clock.learn({2 * second_ns, 12'000, 9'000});
  EXPECT_EQ(clock.drift(), 0);
}

TEST(HostClock, a_clock_that_was_set_is_followed) {
  HostClock clock;
  clock.learn({0, 1000, 10'000});
  clock.learn({2 * second_ns, 3 * second_ns, 10'000});
  EXPECT_EQ(clock.ahead_ns(2 * second_ns), 3 * second_ns);
  EXPECT_EQ(clock.drift(), 0);
}

}  // namespace
}  // namespace quadrille::probe
