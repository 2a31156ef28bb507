// SPDX-License-Identifier: BSD-3-Clause
// Tests of the matching against trying all.
#include "schedule/check/bipartite_matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace quadrille {
namespace {

std::size_t best_by_trying_all(const BitRows& allowed, std::size_t row, std::vector<bool>& used) {
  if (row == allowed.rows()) return 0;
  std::size_t best = best_by_trying_all(allowed, row + 1, used);
  for (std::size_t column = 0; column < allowed.columns(); ++column) {
    if (used[column] || !allowed.has(row, column)) continue;
    used[column] = true;
    best = std::max(best, 1 + best_by_trying_all(allowed, row + 1, used));
    used[column] = false;
  }
  return best;
}

TEST(MaximumMatching, is_as_large_as_any_that_trying_all_finds) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t rows = 1 + random() % 6;
    const std::size_t columns = 1 + random() % 6;
    BitRows allowed(rows, columns);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        if (random() % 3 == 0) allowed.set(row, column);
      }
    }
    std::vector<bool> used(columns);
    ASSERT_EQ(maximum_matching(allowed), best_by_trying_all(allowed, 0, used));
  }
}

TEST(MaximumMatching, crosses_word_borders) {
  BitRows allowed(130, 130);
  for (std::size_t i = 0; i < 130; ++i) allowed.set(i, 129 - i);
  EXPECT_EQ(maximum_matching(allowed), 130U);
}

TEST(MaximumMatching, of_nothing_is_empty) { EXPECT_EQ(maximum_matching(BitRows(3, 0)), 0U); }

}  // namespace
}  // namespace quadrille
