// SPDX-License-Identifier: BSD-3-Clause
#include "wire/flow/arrival_bits.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace quadrille::wire {
namespace {

TEST(ArrivalBits, are_those_of_a_set_wherever_the_window_stands) {
  std::mt19937 random(5);
  ArrivalBits bits;
  std::set<Sequence> right;
  Sequence first = (std::uint64_t{1} << 40U) - 700;  // missing
  for (int round = 0; round < 20'000; ++round) {
    const Sequence number = first + random() % (round % 3 == 0 ? ArrivalBits::window : 70);
    if (number != first) {
      bits.add(number);
      right.insert(number);
    } else {
      ++first;
      while (right.erase(first) > 0) ++first;
      ASSERT_EQ(bits.take_row(number + 1), first);
    }
    const Sequence looked_at = first + random() % (ArrivalBits::window - 64);
    for (Sequence i = 0; i < 64; ++i) {
      ASSERT_EQ(bits.has(looked_at + i), right.contains(looked_at + i)) << round;
      ASSERT_EQ(bits.from(looked_at) >> i & 1U, right.contains(looked_at + i)) << round;
    }
  }
}

TEST(ArrivalBits, of_a_whole_window_are_taken_as_one_row) {
  ArrivalBits bits;
  for (Sequence number = 101; number < 100 + ArrivalBits::window; ++number) bits.add(number);
  EXPECT_EQ(bits.take_row(101), 100 + ArrivalBits::window);
  EXPECT_FALSE(bits.has(101));
  EXPECT_EQ(bits.from(1050), 0U);
}

}  // namespace
}  // namespace quadrille::wire
