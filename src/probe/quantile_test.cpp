// SPDX-License-Identifier: BSD-3-Clause
#include "probe/quantile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>

namespace quadrille::probe {
namespace {

// 0, 1, ... in random order: each is its own place among them.
std::vector<int> shuffled(std::size_t count) {
  std::vector<int> samples(count);
  std::iota(samples.begin(), samples.end(), 0);
  std::shuffle(samples.begin(), samples.end(), std::mt19937_64(count));
  return samples;
}

TEST(Quantile, has_its_share_of_the_samples_before_it) {
  for (std::size_t count = 1; count <= 60; ++count) {
    for (std::size_t part = 0; part < 20; ++part) {
      EXPECT_EQ(quantile(shuffled(count), part, 20), static_cast<int>(count * part / 20))
          << part << " twentieths of " << count;
    }
  }
}

TEST(Quantile, the_median_of_two_is_the_later) {
  EXPECT_EQ(median(std::vector<int>{2, 1}), 2);
  EXPECT_EQ(median(std::vector<int>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<int>{4, 1, 3, 2}), 3);
}

TEST(Quantile, of_nothing_is_nothing) {
  EXPECT_EQ(median(std::vector<double>{}), 0);
  EXPECT_EQ(quantile(std::vector<int>{}, 19, 20), 0);
}

TEST(Quantile, follows_the_order_it_is_given) {
  const auto nearer_to_zero = [](int one, int other) { return std::abs(one) < std::abs(other); };
  EXPECT_EQ(median(std::vector<int>{-9, 1, -2}, nearer_to_zero), -2);
}

}  // namespace
}  // namespace quadrille::probe
