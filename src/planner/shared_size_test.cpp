// SPDX-License-Identifier: BSD-3-Clause
#include "planner/shared_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace quadrille {
namespace {

// Two ranks; `sizes(call)` are their shares. Returns in how many of `calls` calls they compared.
template <typename Sizes>
int comparisons(std::vector<SharedSize>& ranks, int calls, const Sizes& sizes,
                bool at_once = false) {
  int compared = 0;
  for (int call = 0; call < calls; ++call) {
    const std::vector<std::uint64_t> own = sizes(call);
    const bool due = ranks[0].is_due({own[0]}, at_once);
    EXPECT_EQ(ranks[1].is_due({own[1]}, at_once), due);
    if (!due) continue;
    ++compared;
    const Bytes largest = std::max(ranks[0].own_largest(), ranks[1].own_largest());
    for (SharedSize& rank : ranks) rank.learn(largest);
    EXPECT_EQ(ranks[0].agreed(), ranks[1].agreed());
  }
  return compared;
}

TEST(SharedSize, is_what_the_largest_rank_has) {
  std::vector<SharedSize> ranks(2);
  comparisons(ranks, 1, [](int) { return std::vector<std::uint64_t>{100, 8'000}; });
  EXPECT_EQ(ranks[0].agreed().value, 8'000U);
}

TEST(SharedSize, is_compared_ever_less_often_while_it_stays_alike) {
  std::vector<SharedSize> ranks(2);
  const auto alike = [](int call) {
    return std::vector<std::uint64_t>{5'000, call % 3 == 0 ? 8'000U : 6'000U};
  };
  EXPECT_LE(comparisons(ranks, 1'000, alike), 1'000 / 32 + 6);
  EXPECT_EQ(ranks[0].agreed().value, 8'000U);
}

TEST(SharedSize, of_a_program_that_alternates_is_the_larger_and_settles) {
  std::vector<SharedSize> ranks(2);
  const auto alternating = [](int call) {
    return std::vector<std::uint64_t>(2, call % 2 == 0 ? 2'000 : 64'000);
  };
  EXPECT_LE(comparisons(ranks, 1'000, alternating), 1'000 / 32 + 8);
  EXPECT_EQ(ranks[1].agreed().value, 64'000U);
}

TEST(SharedSize, is_learnt_anew_within_an_interval_of_a_change) {
  std::vector<SharedSize> ranks(2);
  comparisons(ranks, 500, [](int) { return std::vector<std::uint64_t>(2, 0); });
  comparisons(ranks, 33, [](int) { return std::vector<std::uint64_t>(2, 64'000); });
  EXPECT_EQ(ranks[0].agreed().value, 64'000U);
}

TEST(SharedSize, is_compared_for_each_call_where_that_is_asked_for) {
  std::vector<SharedSize> ranks(2);
  comparisons(ranks, 100, [](int) { return std::vector<std::uint64_t>(2, 64'000); });
  EXPECT_EQ(comparisons(
                ranks, 10, [](int) { return std::vector<std::uint64_t>(2, 2'000); }, true),
            10);
  EXPECT_EQ(ranks[0].agreed().value, 2'000U);
}

}  // namespace
}  // namespace quadrille
