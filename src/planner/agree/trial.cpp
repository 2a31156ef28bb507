// SPDX-License-Identifier: BSD-3-Clause
// The order of turns: there and back (A B C, C B A), so that a drift of the network's load hits all
// candidates alike; in the final, four calls in a row each (A A A A, B B B B, B B B B, A A A A),
// because a program's communicators are tried at the same time and disturb each other: a candidate
// has to be seen with all of them using it.
#include "planner/agree/trial.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace quadrille {
namespace {

// A candidate replaces the MPI library only if it takes at most this share of its time, in percent:
// less is within what two runs of the same algorithm differ by.
constexpr std::int64_t worthwhile_percent = 95;
constexpr std::size_t calls_in_a_row = 4;
// Calls. The final's share of them is small even where a candidate is many times slower.
constexpr std::uint64_t first_term = 1000;
// Where one side's slowest of two calls or more takes at most two thirds of the other's fastest,
// and all are long against what a computer is held up by, the turns have told enough for some
// calls.
constexpr std::int64_t long_call_ns = 20'000'000;
constexpr std::size_t least_turns = 2;
constexpr std::uint64_t term_of_turns = 64;
// Ours is far behind where its fastest call takes so many times as long as the library's slowest.
constexpr std::int64_t far_behind_factor = 2;
constexpr std::uint64_t first_term_far_behind = 250;
// At first sight: so many times as long as the library's call, and by so much, which is more than
// it takes to open connections.
constexpr std::int64_t first_sight_factor = 4;
constexpr std::int64_t first_sight_ns = 100'000'000;
// Of a verdict that another job has come to.
constexpr std::uint64_t term_of_adopted = 250;

std::int64_t sum_of(const std::vector<std::int64_t>& durations) {
  return std::accumulate(durations.begin(), durations.end(), std::int64_t{0});
}

std::int64_t median_of(std::vector<std::int64_t> durations) {
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::ranges::nth_element(durations, middle);
  return *middle;
}

bool clearly_shorter(const std::vector<std::int64_t>& ones,
                     const std::vector<std::int64_t>& others) {
  const auto [fastest, slowest] = std::ranges::minmax(ones);
  return ones.size() >= least_turns && fastest >= long_call_ns &&
         slowest * 3 <= std::ranges::min(others) * 2;
}

bool far_behind(const std::vector<std::int64_t>& ones, const std::vector<std::int64_t>& others) {
  return ones.size() >= least_turns &&
         std::ranges::min(ones) >= far_behind_factor * std::ranges::max(others);
}

}  // namespace

Trial::Trial(std::uint32_t candidates, std::uint32_t rounds)
    : final_rounds_(rounds),
      term_(first_term),
      term_far_behind_(first_term_far_behind),
      settled_(candidates <= 1 || rounds == 0) {
  if (settled_) return;
  std::vector<std::uint32_t> all(candidates);
  std::iota(all.begin(), all.end(), 0U);
  start_stage(std::move(all));
}

void Trial::start_stage(std::vector<std::uint32_t> candidates) {
  in_stage_ = std::move(candidates);
  is_first_turn_ = !final_ && turns() > 1;
  first_turn_.clear();
  samples_.clear();
  samples_.reserve(wanted());
}

void Trial::adopt(std::uint32_t best, bool beats_library) {
  assert(!settled_ && samples_.empty() && best > 0);
  final_ = beats_library;
  start_stage({0, best});
  settle_for(beats_library ? best : 0, term_of_adopted);
}

void Trial::end() {
  assert(settled_);
  in_stage_.clear();
  samples_.clear();
}

std::uint32_t Trial::rounds() const {
  if (is_first_turn_) return 1;
  if (!final_) return first_turn_.empty() ? turns() : turns() - 1;
  return static_cast<std::uint32_t>((final_rounds_ + calls_in_a_row - 1) / calls_in_a_row *
                                    calls_in_a_row);
}

std::uint32_t Trial::candidate_of(std::size_t call) const {
  if (call == counted()) return 0;
  const std::size_t turn = final_ ? call / calls_in_a_row : call;
  const std::size_t round = turn / in_stage_.size() + (first_turn_.empty() ? 0 : 1);
  const std::size_t place = turn % in_stage_.size();
  return in_stage_[round % 2 == 0 ? place : in_stage_.size() - 1 - place];
}

void Trial::begin_call() {
  assert(!samples_are_due());
  ++begun_;
  if (!settled_ || is_final() || calls_left_-- > 0) return;
  settled_ = false;
  start_stage(std::move(in_stage_));
}

std::uint32_t Trial::candidate() const {
  assert(!samples_are_due());
  return settled_ ? verdict_ : candidate_of(samples_.size());
}

void Trial::record(std::int64_t duration_ns) {
  assert(!settled_ && !samples_are_due());
  samples_.push_back(duration_ns);
}

// Of the calls that count.
std::vector<std::int64_t> Trial::durations_of(std::uint32_t candidate,
                                              std::span<const std::int64_t> longest) const {
  std::vector<std::int64_t> durations;
  if (!first_turn_.empty()) durations.push_back(first_turn_[candidate]);
  for (std::size_t call = 0; call < counted(); ++call) {
    if (final_ && call % calls_in_a_row == 0) continue;
    if (candidate_of(call) == candidate) durations.push_back(longest[call]);
  }
  return durations;
}

// By the shortest call: a candidate's first one opens connections.
std::uint32_t Trial::best_of_ours(std::span<const std::int64_t> longest) const {
  const auto shortest = [&](std::uint32_t candidate) {
    const std::vector<std::int64_t> durations = durations_of(candidate, longest);
    return *std::min_element(durations.begin(), durations.end());
  };
  return *std::min_element(
      in_stage_.begin() + 1, in_stage_.end(),
      [&](std::uint32_t a, std::uint32_t b) { return shortest(a) < shortest(b); });
}

// By the sum, and by at least half the rounds: a sum alone can be won by the MPI library's bad luck
// in a single call.
bool Trial::beats_library(std::uint32_t candidate, std::span<const std::int64_t> longest) const {
  const std::vector<std::int64_t> ours = durations_of(candidate, longest);
  const std::vector<std::int64_t> library = durations_of(0, longest);
  std::size_t won = 0;
  for (std::size_t round = 0; round < ours.size(); ++round) {
    if (ours[round] < library[round]) ++won;
  }
  return won * 2 >= ours.size() && sum_of(ours) * 100 <= sum_of(library) * worthwhile_percent;
}

void Trial::settle_for(std::uint32_t verdict, std::uint64_t calls) {
  verdict_ = verdict;
  calls_left_ = calls;
  gain_ns_ = 0;
  settled_ = true;
  samples_.clear();
}

void Trial::settle_by(std::span<const std::int64_t> longest, std::uint32_t verdict,
                      std::uint64_t calls) {
  const std::int64_t gain =
      median_of(durations_of(0, longest)) - median_of(durations_of(verdict, longest));
  settle_for(verdict, calls);
  gain_ns_ = gain;
}

void Trial::leave_out_far_behind(std::span<const std::int64_t> longest) {
  std::vector<std::int64_t> first_turn(in_stage_.back() + 1);
  std::vector<std::uint32_t> kept;
  for (std::size_t call = 0; call < longest.size(); ++call) {
    first_turn[in_stage_[call]] = longest[call];
    const bool is_far_behind = longest[call] > first_sight_factor * longest[0] &&
                               longest[call] > longest[0] + first_sight_ns;
    if (!is_far_behind) kept.push_back(in_stage_[call]);
  }
  if (kept.size() == 1) return settle_for_library_far_ahead(best_of_ours(longest));
  start_stage(std::move(kept));
  is_first_turn_ = false;
  first_turn_ = std::move(first_turn);
}

void Trial::settle_for_library_far_ahead(std::uint32_t best) {
  in_stage_ = {0, best};
  settle_for(0, term_far_behind_);
  term_far_behind_ *= 2;
}

void Trial::judge(std::span<const std::int64_t> longest) {
  assert(longest.size() == wanted());
  if (is_first_turn_) return leave_out_far_behind(longest);
  const std::uint32_t best = best_of_ours(longest);
  if (final_) {
    settle_by(longest, beats_library(best, longest) ? best : 0, term_);
    term_ *= 2;
    return;
  }
  const std::vector<std::int64_t> ours = durations_of(best, longest);
  const std::vector<std::int64_t> library = durations_of(0, longest);
  if (far_behind(ours, library)) return settle_for_library_far_ahead(best);
  const bool ours_is_clear = clearly_shorter(ours, library);
  const bool library_is_clear = clearly_shorter(library, ours);
  if (ours_is_clear || library_is_clear)
    settle_by(longest, ours_is_clear ? best : 0, term_of_turns);
  final_ = true;
  start_stage({0, best});
}

}  // namespace quadrille
