// SPDX-License-Identifier: BSD-3-Clause
// Tests of symbolic contents against plain arrays.
#include "schedule/check/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace quadrille {
namespace {

using testing::ElementsAre;

TEST(Contents, joins_what_continues_and_shows_gaps) {
  Contents contents;
  const Extent first{4, 0, 10};
  const Extent second{4, 0, 14};
  contents.write({Buffer::scratch, 2, 4}, {&first, 1});
  contents.write({Buffer::scratch, 6, 4}, {&second, 1});
  EXPECT_THAT(
      contents.read({Buffer::scratch, 0, 12}),
      ElementsAre(Extent{2, uninitialised, 0}, Extent{8, 0, 10}, Extent{2, uninitialised, 0}));
}

TEST(Contents, hold_what_was_written_last) {
  // Against an array of single elements, with random writes.
  std::mt19937 random(2);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  constexpr std::uint64_t size = 40;
  Contents contents;
  std::vector<std::pair<Expression, std::uint64_t>> elements(size, {uninitialised, 0});
  for (int trial = 0; trial < 2000; ++trial) {
    const std::uint64_t offset = below(size);
    const Extent extent{1 + below(size - offset), static_cast<Expression>(below(3)), below(100)};
    contents.write({Buffer::receive, offset, extent.length}, {&extent, 1});
    for (std::uint64_t i = 0; i < extent.length; ++i) {
      elements[offset + i] = {extent.expression, extent.origin + i};
    }
    const std::uint64_t from = below(size);
    std::uint64_t position = from;
    for (const Extent& found : contents.read({Buffer::receive, from, size - from})) {
      for (std::uint64_t i = 0; i < found.length; ++i, ++position) {
        ASSERT_EQ(elements[position].first, found.expression);
        if (found.expression == uninitialised) continue;
        ASSERT_EQ(elements[position].second, found.origin + i);
      }
    }
    ASSERT_EQ(position, size);
  }
}

TEST(Expressions, number_equal_trees_alike_and_others_apart) {
  Expressions expressions(3);
  const Expression left = expressions.combine(expressions.combine(0, 1), 2);
  const Expression right = expressions.combine(0, expressions.combine(1, 2));
  EXPECT_EQ(left, expressions.combine(expressions.combine(0, 1), 2));
  EXPECT_NE(left, right);
  EXPECT_THAT(expressions.contributors(left), ElementsAre(0, 1, 2));
  EXPECT_THAT(expressions.contributors(right), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace quadrille
