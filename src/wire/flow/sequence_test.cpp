// SPDX-License-Identifier: BSD-3-Clause
// Numbers come back from their lower bits.
#include "wire/flow/sequence.h"

#include <gtest/gtest.h>

#include <random>

namespace quadrille::wire {
namespace {

TEST(Sequence, the_nearest_number_with_the_same_lower_bits_is_meant) {
  EXPECT_EQ(widen(0, 0, 8), 0U);
  EXPECT_EQ(widen(0, 255, 8), 255U);
  EXPECT_EQ(widen(255, 0, 8), 256U);
  EXPECT_EQ(widen(256, 255, 8), 255U);
  EXPECT_EQ(widen(1000, lower(1100, 8), 8), 1100U);
  EXPECT_EQ(widen(1000, lower(900, 8), 8), 900U);
}

TEST(Sequence, any_number_less_than_half_a_turn_away_survives) {
  std::mt19937_64 chance(7);
  for (int i = 0; i < 10000; ++i) {
    const unsigned bits = 8 + chance() % 25;
    const std::uint64_t half = std::uint64_t{1} << (bits - 1);
    const Sequence reference = half + chance() % (std::uint64_t{1} << 40);
    const Sequence number = reference - half + 1 + chance() % (2 * half - 2);
    ASSERT_EQ(widen(reference, lower(number, bits), bits), number) << reference << ' ' << bits;
  }
}

}  // namespace
}  // namespace quadrille::wire
