// SPDX-License-Identifier: BSD-3-Clause
#include "planner/trial.h"

#include <gtest/gtest.h>

#include <vector>

#include "planner/size_class.h"

namespace quadrille {
namespace {

// Runs a trial in which candidate i takes durations[i] each time; returns the verdict.
std::uint32_t verdict_for(const std::vector<std::int64_t>& durations, std::uint32_t rounds) {
  Trial trial(static_cast<std::uint32_t>(durations.size()), rounds);
  while (!trial.samples_are_due()) trial.record(durations[trial.candidate()]);
  const std::vector<std::int64_t> samples(trial.samples().begin(), trial.samples().end());
  trial.decide(samples);
  EXPECT_TRUE(trial.settled());
  return trial.candidate();
}

TEST(Trial, the_fastest_candidate_wins) { EXPECT_EQ(verdict_for({100, 90, 40, 70}, 3), 2U); }

TEST(Trial, a_gain_within_the_noise_is_left_to_the_mpi_library) {
  EXPECT_EQ(verdict_for({100, 96}, 3), 0U);
  EXPECT_EQ(verdict_for({100, 95}, 3), 1U);
}

TEST(Trial, one_slow_call_of_each_candidate_is_forgiven) {
  Trial trial(2, 3);
  bool first = true;
  while (!trial.samples_are_due()) {
    const bool ours = trial.candidate() == 1;
    trial.record(ours ? (first ? 1'000'000 : 10) : 100);
    if (ours) first = false;
  }
  const std::vector<std::int64_t> samples(trial.samples().begin(), trial.samples().end());
  trial.decide(samples);
  EXPECT_EQ(trial.candidate(), 1U);
}

TEST(Trial, a_mean_won_by_one_bad_call_of_the_mpi_library_does_not_count) {
  Trial trial(2, 4);
  std::size_t round = 0;
  while (!trial.samples_are_due()) {
    const bool ours = trial.candidate() == 1;
    round = trial.samples().size() / 2;
    trial.record(ours ? 110 : (round < 2 ? 10'000 : 100));
  }
  const std::vector<std::int64_t> samples(trial.samples().begin(), trial.samples().end());
  trial.decide(samples);
  EXPECT_EQ(trial.candidate(), 0U);
}

TEST(Trial, rounds_go_there_and_back) {
  Trial trial(3, 2);
  std::vector<std::uint32_t> order;
  while (!trial.samples_are_due()) {
    order.push_back(trial.candidate());
    trial.record(1);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 2, 1, 0}));
}

TEST(Trial, without_a_choice_or_rounds_the_mpi_library_is_the_verdict) {
  EXPECT_TRUE(Trial(1, 3).settled());
  EXPECT_TRUE(Trial(4, 0).settled());
  EXPECT_EQ(Trial(4, 0).candidate(), 0U);
}

TEST(SizeClass, four_classes_an_octave) {
  EXPECT_EQ(size_class(0), 0U);
  EXPECT_EQ(size_class(1024), size_class(1279));
  EXPECT_NE(size_class(1279), size_class(1280));
  EXPECT_EQ(size_class(2048) - size_class(1024), 4U);
  for (std::uint64_t bytes = 1; bytes < 100'000; ++bytes) {
    EXPECT_LE(size_class(bytes), size_class(bytes + 1));
  }
}

}  // namespace
}  // namespace quadrille
