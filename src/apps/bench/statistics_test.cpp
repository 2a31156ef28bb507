// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace quadrille::bench {
namespace {

using Samples = std::vector<std::int64_t>;

TEST(Summarize, gives_known_figures_for_one_to_ten) {
  Samples samples(10);
  std::iota(samples.begin(), samples.end(), 1);
  const Summary summary = summarize(samples);
  EXPECT_EQ(summary.samples, 10U);
  EXPECT_DOUBLE_EQ(summary.min_ns, 1);
  EXPECT_DOUBLE_EQ(summary.median_ns, 5.5);
  EXPECT_DOUBLE_EQ(summary.mean_ns, 5.5);
  EXPECT_NEAR(summary.deviation_ns, 3.02765, 1e-5);
  EXPECT_DOUBLE_EQ(summary.p10_ns, 1);
  EXPECT_DOUBLE_EQ(summary.p90_ns, 9);
  EXPECT_DOUBLE_EQ(summary.p99_ns, 10);
  EXPECT_DOUBLE_EQ(summary.max_ns, 10);
}

TEST(Summarize, does_not_depend_on_order) {
  const Samples samples{5, 1, 4, 2, 3};
  EXPECT_DOUBLE_EQ(summarize(samples).median_ns, 3);
  EXPECT_DOUBLE_EQ(summarize(samples).p90_ns, 5);
}

TEST(Summarize, of_one_sample_has_no_deviation) {
  const Summary summary = summarize(Samples{7});
  EXPECT_DOUBLE_EQ(summary.median_ns, 7);
  EXPECT_DOUBLE_EQ(summary.deviation_ns, 0);
}

TEST(Summarize, of_nothing_is_zero) { EXPECT_EQ(summarize(Samples{}).samples, 0U); }

TEST(Summarize, counts_a_stall_only_beyond_fifty_milliseconds_above_the_median) {
  const Samples samples{1000, 1000, 1000, 1000 + kStallNs, 1001 + kStallNs};
  EXPECT_EQ(summarize(samples).stalls, 1U);
}

TEST(BootstrapRatio, of_constant_samples_is_exact) {
  const Ratio ratio = bootstrap_ratio(Samples(8, 50), Samples(8, 100), Centre::median, 1);
  EXPECT_DOUBLE_EQ(ratio.value, 0.5);
  EXPECT_DOUBLE_EQ(ratio.low, 0.5);
  EXPECT_DOUBLE_EQ(ratio.high, 0.5);
}

TEST(BootstrapRatio, repeats_with_its_seed_and_differs_with_another) {
  const Samples one{90, 100, 130, 95, 111, 104, 99};
  const Samples other{200, 190, 240, 205, 195, 260};
  const auto first = bootstrap_ratio(one, other, Centre::mean, 1);
  const auto again = bootstrap_ratio(one, other, Centre::mean, 1);
  const auto different = bootstrap_ratio(one, other, Centre::mean, 2);
  EXPECT_DOUBLE_EQ(first.low, again.low);
  EXPECT_DOUBLE_EQ(first.high, again.high);
  EXPECT_NE(first.low, different.low);
}

// 95 % intervals hold the true ratio (here 1) in about 95 of 100 experiments; fewer than 85 or all
// of 200 would be odd.
TEST(BootstrapRatio, interval_covers_the_truth_as_often_as_it_says) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(1e6, 1e5);
  int covered = 0;
  constexpr int kExperiments = 200;
  for (int experiment = 0; experiment < kExperiments; ++experiment) {
    Samples one(30);
    Samples other(30);
    for (auto& value : one) value = std::llround(noise(random));
    for (auto& value : other) value = std::llround(noise(random));
    const Ratio ratio =
        bootstrap_ratio(one, other, Centre::mean, static_cast<std::uint64_t>(experiment), 300);
    if (ratio.low <= 1 && 1 <= ratio.high) ++covered;
  }
  EXPECT_GE(covered, kExperiments * 85 / 100);
  EXPECT_LT(covered, kExperiments);
}

}  // namespace
}  // namespace quadrille::bench
