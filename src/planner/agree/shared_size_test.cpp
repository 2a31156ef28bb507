// SPDX-License-Identifier: BSD-3-Clause
#include "planner/agree/shared_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace quadrille {
namespace {

// Two ranks that make calls of a microsecond; `sizes(call)` are their shares.
class TwoRanks {
 public:
  SharedSize& rank(std::size_t rank) { return ranks_[rank]; }
  Nanoseconds comparison_takes{1};

  // Returns in how many of `calls` calls they compared.
  template <typename Sizes>
  int comparisons(int calls, const Sizes& sizes, bool in_trial = false) {
    int compared = 0;
    for (int call = 0; call < calls; ++call) {
      const std::vector<std::uint64_t> own = sizes(call);
      const bool due = ranks_[0].is_due({own[0]}, in_trial);
      EXPECT_EQ(ranks_[1].is_due({own[1]}, in_trial), due);
      if (due) {
        ++compared;
        compare();
      }
      now_ += Nanoseconds{1'000};
    }
    return compared;
  }

 private:
  void compare() {
    const auto [one, other] = std::pair(ranks_[0].to_compare(), ranks_[1].to_compare());
    const SharedSize::Comparison of_all{std::max(one.largest, other.largest),
                                        std::max(one.time_beside, other.time_beside)};
    for (SharedSize& rank : ranks_) rank.learn(of_all, now_, now_ + comparison_takes);
    now_ += comparison_takes;
    EXPECT_EQ(ranks_[0].agreed(), ranks_[1].agreed());
  }

  std::array<SharedSize, 2> ranks_;
  Nanoseconds now_{1};
};

std::vector<std::uint64_t> both(std::uint64_t share) { return {share, share}; }

TEST(SharedSize, is_what_the_largest_rank_has) {
  TwoRanks two;
  two.comparisons(1, [](int) { return std::vector<std::uint64_t>{100, 8'000}; });
  EXPECT_EQ(two.rank(0).agreed().value, 8'000U);
}

TEST(SharedSize, is_compared_ever_less_often_while_it_stays_alike) {
  TwoRanks two;
  const auto alike = [](int call) {
    return std::vector<std::uint64_t>{5'000, call % 3 == 0 ? 8'000U : 6'000U};
  };
  const int compared = two.comparisons(1'000, alike);
  EXPECT_LE(compared, 1'000 / 32 + 6);
  EXPECT_GE(compared, 1'000 / 32);
  EXPECT_EQ(two.rank(0).agreed().value, 8'000U);
}

TEST(SharedSize, is_compared_more_rarely_where_that_takes_long) {
  TwoRanks two;
  two.comparison_takes = Nanoseconds{20'000};
  EXPECT_LE(two.comparisons(10'000, [](int) { return both(5'000); }), 20);
}

TEST(SharedSize, of_a_program_that_alternates_is_the_larger_and_settles) {
  TwoRanks two;
  const auto alternating = [](int call) { return both(call % 2 == 0 ? 2'000 : 64'000); };
  EXPECT_LE(two.comparisons(1'000, alternating), 1'000 / 32 + 8);
  EXPECT_EQ(two.rank(1).agreed().value, 64'000U);
}

TEST(SharedSize, is_learnt_anew_within_an_interval_of_a_change) {
  TwoRanks two;
  two.comparisons(500, [](int) { return both(0); });
  two.comparisons(33, [](int) { return both(64'000); });
  EXPECT_EQ(two.rank(0).agreed().value, 64'000U);
}

TEST(SharedSize, is_trusted_in_a_trial_until_a_share_has_varied) {
  TwoRanks two;
  two.comparisons(100, [](int) { return both(64'000); });
  EXPECT_EQ(two.comparisons(
                100, [](int) { return both(64'000); }, true),
            0);
  EXPECT_FALSE(two.rank(0).has_varied());
  EXPECT_FALSE(two.rank(0).end_stage(false));
  two.comparisons(
      5,
      [](int call) {
        return std::vector<std::uint64_t>{64'000, call == 3 ? 2'000U : 64'000U};
      },
      true);
  EXPECT_FALSE(two.rank(0).has_varied());
  EXPECT_TRUE(two.rank(1).has_varied());
  for (std::size_t rank : {0U, 1U}) EXPECT_TRUE(two.rank(rank).end_stage(true));
  EXPECT_EQ(two.comparisons(
                10, [](int) { return both(2'000); }, true),
            10);
  EXPECT_EQ(two.rank(0).agreed().value, 2'000U);
  EXPECT_FALSE(two.rank(1).has_varied());
}

}  // namespace
}  // namespace quadrille
