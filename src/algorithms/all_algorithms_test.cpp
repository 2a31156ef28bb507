// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of algorithms.def against the checker: all rank counts from 1 to 33, all roots,
// in place or not, commuting or not, sizes 0, 1, odd and large, several values of each parameter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/checked_case.h"
#include "algorithms/random_view.h"

namespace quadrille {
namespace {

class AllAlgorithms : public testing::TestWithParam<const Algorithm*> {
 protected:
  static void expect_correct(const CheckedCase& one) {
    const Findings findings = one.check(one.generate());
    ASSERT_TRUE(findings.empty()) << one << '\n' << text_of(findings.front());
  }
};

TEST_P(AllAlgorithms, are_correct_for_all_ranks_roots_and_small_sizes) {
  const Algorithm& algorithm = *GetParam();
  for (Rank ranks = 1; ranks <= 33; ++ranks) {
    for (const std::uint64_t count : {0U, 1U, 2U, 13U, 40U}) {
      for (const Shape& shape : supported_shapes(algorithm, ranks, count)) {
        for (const std::string& parameters : small_parameters(algorithm)) {
          for (const BlockPattern pattern : block_patterns(algorithm)) {
            CheckedCase one{&algorithm, shape, parameters};
            one.pattern = pattern;
            ASSERT_NO_FATAL_FAILURE(expect_correct(one));
          }
        }
      }
    }
  }
}

TEST_P(AllAlgorithms, are_correct_for_large_sizes) {
  const Algorithm& algorithm = *GetParam();
  for (const Rank ranks : {1, 2, 3, 5, 8, 13, 16, 33}) {
    for (const Shape& shape : supported_shapes(algorithm, ranks, 1'000'000'007)) {
      for (const BlockPattern pattern : block_patterns(algorithm)) {
        CheckedCase one{&algorithm, shape, large_parameters(algorithm)};
        one.pattern = pattern;
        ASSERT_NO_FATAL_FAILURE(expect_correct(one));
      }
    }
  }
}

TEST_P(AllAlgorithms, are_correct_on_random_clusters) {
  const Algorithm& algorithm = *GetParam();
  std::uint32_t seed = 0;
  for (Rank ranks = 1; ranks <= 33; ++ranks) {
    for (const std::uint64_t count : {1U, 40U}) {
      for (const std::string& parameters : small_parameters(algorithm)) {
        const TopologyView view = RandomView(++seed).of_ranks(ranks);
        for (const Shape& shape : supported_shapes(algorithm, ranks, count)) {
          for (const BlockPattern pattern : block_patterns(algorithm)) {
            ASSERT_NO_FATAL_FAILURE(expect_correct({&algorithm, shape, parameters, view, pattern}))
                << "view " << seed;
          }
        }
      }
    }
  }
}

// Memory and time of O(p): a rank's steps may grow with the number of ranks, not with its square.
TEST_P(AllAlgorithms, give_a_rank_at_most_linearly_many_steps) {
  const Algorithm& algorithm = *GetParam();
  constexpr Rank ranks = 4096;
  for (const Shape& shape : supported_shapes(algorithm, ranks, 1)) {
    if (shape.root > 1) break;
    const TopologyView view = TopologyView::flat(ranks);
    const StoredCounts counts = counts_of(shape, 1, [](Rank, Rank) { return 1; });
    const Schedule schedule =
        algorithm.generate({shape, view, algorithm.parameters, 1, counts.view()});
    EXPECT_LE(schedule.steps.size(), 5U * ranks);
    EXPECT_LE(schedule.dependencies.size(), 8U * ranks);
  }
}

TEST_P(AllAlgorithms, support_at_least_two_ranks_with_a_commuting_operation) {
  EXPECT_FALSE(supported_shapes(*GetParam(), 2, 1).empty());
}

std::vector<const Algorithm*> each_algorithm() {
  std::vector<const Algorithm*> result;
  for (const Algorithm& algorithm : algorithms()) result.push_back(&algorithm);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Every, AllAlgorithms, testing::ValuesIn(each_algorithm()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(AlgorithmTable, finds_algorithms_by_name) {
  ASSERT_NE(algorithm_named("bcast_binomial"), nullptr);
  EXPECT_EQ(algorithm_named("bcast_binomial")->collective, Collective::bcast);
  EXPECT_EQ(algorithm_named("bcast"), nullptr);
}

TEST(Parameters, take_values_separated_by_colons_or_commas) {
  const Parameters parameters("partners=1,window=2");
  const Result<Parameters> changed = parameters.with("window=5:partners=3");
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed.value()["partners"], 3);
  EXPECT_EQ(changed.value()["window"], 5);
  EXPECT_EQ(changed.value().text(), "partners=3:window=5");
}

TEST(Parameters, name_those_that_exist_when_one_does_not) {
  const Result<Parameters> changed = Parameters("partners=1,window=2").with("widow=5");
  ASSERT_FALSE(changed.ok());
  EXPECT_THAT(changed.error().message, testing::AllOf(testing::HasSubstr("'widow'"),
                                                      testing::HasSubstr("partners=1:window=2")));
}

TEST(Parameters, refuse_what_is_no_number) {
  for (const char* text : {"window", "window=", "window=x", "window=2x", "=2", "window=-1"}) {
    EXPECT_FALSE(Parameters("window=2").with(text).ok()) << text;
  }
}

}  // namespace
}  // namespace quadrille
