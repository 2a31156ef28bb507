// SPDX-License-Identifier: BSD-3-Clause
#include "planner/agree/trial.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "planner/size_class.h"

namespace quadrille {
namespace {

using Duration = std::function<std::int64_t(std::uint32_t, int)>;

// Makes `calls` calls of a trial, or all until it is settled, of which `duration(candidate, call)`
// says how long one takes.
void make_calls(Trial& trial, const Duration& duration, int calls = 1'000'000) {
  for (int call = 0; call < calls && !trial.settled(); ++call) {
    trial.record(duration(trial.candidate(), call));
    if (!trial.samples_are_due()) continue;
    const std::vector<std::int64_t> samples(trial.samples().begin(), trial.samples().end());
    trial.judge(samples);
  }
}

std::uint32_t verdict_for(std::uint32_t candidates, std::uint32_t rounds,
                          const Duration& duration) {
  Trial trial(candidates, rounds);
  make_calls(trial, duration);
  return trial.candidate();
}

std::uint32_t verdict_for(const std::vector<std::int64_t>& durations, std::uint32_t rounds) {
  return verdict_for(static_cast<std::uint32_t>(durations.size()), rounds,
                     [&](std::uint32_t candidate, int) { return durations[candidate]; });
}

TEST(Trial, the_fastest_candidate_wins) {
  EXPECT_EQ(verdict_for({100, 90, 40, 70}, 4), 2U);
  EXPECT_EQ(verdict_for({100, 90, 140, 70}, 1), 3U);
  EXPECT_EQ(verdict_for({100, 190, 140, 170}, 4), 0U);
  EXPECT_EQ(verdict_for({100, 190, 140, 170}, 8), 0U);
}

TEST(Trial, the_gain_is_that_of_medians) {
  Trial trial(2, 8);
  const auto hold = [&](std::int64_t ours) {
    make_calls(trial, [&](std::uint32_t candidate, int call) -> std::int64_t {
      return candidate == 1 ? ours : 100 + call % 3 * 10;
    });
  };
  hold(40);
  EXPECT_EQ(trial.candidate(), 1U);
  EXPECT_EQ(trial.gain_ns(), 70);
  while (trial.settled()) trial.begin_call();
  hold(400);
  EXPECT_EQ(trial.candidate(), 0U);
  EXPECT_EQ(trial.gain_ns(), 0);
}

TEST(Trial, a_gain_within_the_noise_is_left_to_the_mpi_library) {
  EXPECT_EQ(verdict_for({100, 96}, 4), 0U);
  EXPECT_EQ(verdict_for({100, 95}, 4), 1U);
}

TEST(Trial, the_first_call_of_a_candidate_is_forgiven) {
  bool first = true;
  const auto duration = [&](std::uint32_t candidate, int) -> std::int64_t {
    if (candidate == 0) return 100;
    return std::exchange(first, false) ? 1'000'000 : 10;
  };
  EXPECT_EQ(verdict_for(2, 8, duration), 1U);
}

TEST(Trial, a_stall_in_the_final_is_not_forgiven) {
  const auto duration = [](std::uint32_t candidate, int call) -> std::int64_t {
    return candidate == 0 ? 100 : (call == 9 || call == 10 ? 1'000 : 80);
  };
  EXPECT_EQ(verdict_for(2, 8, duration), 0U);
}

TEST(Trial, what_changing_sides_costs_is_forgiven) {
  // The first call after the other's, and the last one before the ranks compare.
  const auto duration = [](std::uint32_t candidate, int call) -> std::int64_t {
    const int in_final = call - 4;
    if (candidate == 1) return 110;
    return in_final % 4 == 0 || in_final == 16 ? 5'000 : 100;
  };
  EXPECT_EQ(verdict_for(2, 8, duration), 0U);
}

TEST(Trial, a_stage_whose_calls_were_not_alike_is_held_again) {
  Trial trial(2, 4);
  for (int call = 0; call < 2; ++call) trial.record(trial.candidate() == 1 ? 10 : 100);
  ASSERT_TRUE(trial.samples_are_due());
  trial.repeat_stage();
  EXPECT_FALSE(trial.samples_are_due());
  EXPECT_EQ(trial.candidate(), 0U);
}

TEST(Trial, a_sum_won_by_bad_calls_of_the_mpi_library_in_few_rounds_does_not_count) {
  const auto duration = [](std::uint32_t candidate, int call) -> std::int64_t {
    if (candidate == 1) return 110;
    return call < 7 ? 10'000 : 100;
  };
  EXPECT_EQ(verdict_for(2, 8, duration), 0U);
}

TEST(Trial, the_first_stage_goes_there_and_back_and_the_final_has_two_in_turns_of_four) {
  Trial trial(3, 8);
  std::string order;
  while (!trial.settled()) {
    order += std::to_string(trial.candidate());
    trial.record(trial.candidate() == 2 ? 1 : 9);
    if (!trial.samples_are_due()) continue;
    order += ' ';
    const std::vector<std::int64_t> samples(trial.samples().begin(), trial.samples().end());
    trial.judge(samples);
  }
  EXPECT_EQ(order, "012 210 00002222222200000 ");
}

// Makes `calls` calls; returns how many of them candidate 1 made.
int calls_of_ours(Trial& trial, int calls, std::int64_t library_ns, std::int64_t our_ns) {
  int ours = 0;
  for (int call = 0; call < calls; ++call) {
    if (trial.samples_are_due()) {
      const std::vector<std::int64_t> samples(trial.samples().begin(), trial.samples().end());
      trial.judge(samples);
    }
    trial.begin_call();
    const bool by_us = trial.candidate() == 1;
    ours += by_us ? 1 : 0;
    if (!trial.settled()) trial.record(by_us ? our_ns : library_ns);
  }
  return ours;
}

TEST(Trial, a_verdict_is_looked_at_again_when_a_program_has_changed) {
  Trial trial(2, 8);
  EXPECT_GT(calls_of_ours(trial, 500, 100, 50), 480);
  EXPECT_EQ(trial.candidate(), 1U);
  EXPECT_GT(calls_of_ours(trial, 500, 100, 200), 450);  // nobody looks yet
  calls_of_ours(trial, 500, 100, 200);
  EXPECT_EQ(trial.candidate(), 0U);
  // 2000 calls later a final of 17, 8 of them ours; and none before.
  EXPECT_EQ(calls_of_ours(trial, 1500, 100, 200), 0);
  EXPECT_EQ(calls_of_ours(trial, 1000, 100, 200), 8);
}

constexpr std::int64_t ms = 1'000'000;

TEST(Trial, long_calls_that_differ_clearly_are_decided_after_two_turns_for_64_calls) {
  Trial ours(2, 8);
  EXPECT_EQ(calls_of_ours(ours, 68, 300 * ms, 30 * ms), 66);
  EXPECT_TRUE(ours.settled());
  EXPECT_EQ(calls_of_ours(ours, 17, 300 * ms, 30 * ms), 8);  // the final
  EXPECT_EQ(calls_of_ours(ours, 1000, 300 * ms, 30 * ms), 1000);
  Trial library(2, 8);
  EXPECT_EQ(calls_of_ours(library, 68, 30 * ms, 50 * ms), 2);
  EXPECT_EQ(calls_of_ours(library, 17, 30 * ms, 50 * ms), 8);
  EXPECT_EQ(calls_of_ours(library, 1000, 30 * ms, 50 * ms), 0);
}

TEST(Trial, who_is_far_behind_in_two_turns_meets_nobody_in_a_final) {
  Trial trial(2, 8);
  EXPECT_EQ(calls_of_ours(trial, 254, 100, 200), 2);
  EXPECT_EQ(calls_of_ours(trial, 504, 100, 200), 2);  // the turns again
  EXPECT_EQ(calls_of_ours(trial, 1004, 100, 200), 2);
  EXPECT_GT(calls_of_ours(trial, 1000, 100, 50), 950);
  Trial one_turn(2, 4);
  calls_of_ours(one_turn, 3, 100, 200);
  EXPECT_FALSE(one_turn.settled());
  Trial once_slow(2, 8);
  calls_of_ours(once_slow, 1, 100, 0);  // then ours twice, and the library held up
  calls_of_ours(once_slow, 2, 0, 200);
  calls_of_ours(once_slow, 2, 101, 200);
  EXPECT_FALSE(once_slow.settled());
}

TEST(Trial, who_is_far_behind_at_first_sight_has_no_second_turn) {
  const auto duration = [](std::uint32_t candidate, int) -> std::int64_t {
    return std::vector<std::int64_t>{40, 900, 30, 141}[candidate] * ms;
  };
  Trial trial(4, 8);
  make_calls(trial, duration, 4);
  EXPECT_EQ(trial.in_stage(), (std::vector<std::uint32_t>{0, 2, 3}));
  make_calls(trial, duration);
  EXPECT_EQ(trial.candidate(), 2U);
  Trial slow(3, 8);
  make_calls(
      slow, [](std::uint32_t candidate, int) { return (candidate == 0 ? 2 : 20) * 100 * ms; }, 3);
  EXPECT_TRUE(slow.settled());
  EXPECT_EQ(slow.candidate(), 0U);
  EXPECT_EQ(calls_of_ours(slow, 252, 200 * ms, 100 * ms), 1) << "and is tried again later";
  Trial connects(2, 8);  // short calls may open connections
  make_calls(
      connects,
      [](std::uint32_t candidate, int call) { return call < 2 && candidate == 1 ? 100 * ms : 1; },
      4);
  EXPECT_FALSE(connects.settled());
}

TEST(Trial, of_several_the_best_is_tried_again_that_was_far_behind) {
  Trial trial(3, 8);
  const auto duration = [](std::uint32_t candidate, int) -> std::int64_t {
    return std::vector<std::int64_t>{100, 250, 900}[candidate];
  };
  make_calls(trial, duration, 6);
  EXPECT_TRUE(trial.settled());
  EXPECT_EQ(trial.candidate(), 0U);
  EXPECT_EQ(trial.in_stage(), (std::vector<std::uint32_t>{0, 1}));
}

TEST(Trial, what_two_turns_said_in_error_the_final_puts_right) {
  Trial trial(2, 8);
  EXPECT_EQ(calls_of_ours(trial, 4, 300 * ms, 30 * ms), 2);
  EXPECT_EQ(calls_of_ours(trial, 64, 30 * ms, 60 * ms), 64);
  EXPECT_EQ(calls_of_ours(trial, 17, 30 * ms, 60 * ms), 8);
  EXPECT_EQ(calls_of_ours(trial, 1000, 30 * ms, 60 * ms), 0);
}

TEST(Trial, turns_that_are_short_alike_or_alone_lead_to_the_final_at_once) {
  const auto is_in_the_final = [](std::uint32_t rounds, std::int64_t library, std::int64_t our) {
    Trial trial(2, rounds);
    calls_of_ours(trial, rounds == 8 ? 5 : 3, library, our);
    return !trial.settled();
  };
  EXPECT_TRUE(is_in_the_final(8, 190 * ms, 19 * ms));
  EXPECT_TRUE(is_in_the_final(8, 44 * ms, 30 * ms));
  EXPECT_FALSE(is_in_the_final(8, 45 * ms, 30 * ms));
  EXPECT_TRUE(is_in_the_final(4, 300 * ms, 30 * ms));
}

TEST(Trial, a_turn_that_was_slow_once_is_no_clear_gain) {
  const auto duration = [](std::uint32_t candidate, int call) -> std::int64_t {
    return (candidate == 1 || call == 0 ? 30 : 900) * ms;
  };
  Trial trial(2, 8);
  make_calls(trial, duration, 4);
  EXPECT_FALSE(trial.settled());
}

TEST(Trial, what_was_never_tried_is_not_looked_at_again) {
  Trial alone(1, 8);
  EXPECT_EQ(calls_of_ours(alone, 3000, 100, 1), 0);
  EXPECT_TRUE(alone.is_final());
  Trial tried(2, 8);
  calls_of_ours(tried, 100, 100, 200);
  EXPECT_TRUE(tried.settled());
  EXPECT_FALSE(tried.is_final());
}

TEST(Trial, without_a_choice_or_rounds_candidate_0_is_the_verdict) {
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
