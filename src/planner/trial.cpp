// SPDX-License-Identifier: BSD-3-Clause
// Rounds there and back (A B C, C B A, ...), so that a drift of the network's load hits all
// candidates alike.
#include "planner/trial.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace quadrille {
namespace {

// A candidate replaces the MPI library only if it takes at most this share of its time, in percent:
// less is within what two runs of the same algorithm differ by.
constexpr std::int64_t worthwhile_percent = 95;

// The sum without the longest of several: one outlier each is forgiven, for the first call of a
// candidate opens connections.
std::int64_t forgiving_sum(const std::vector<std::int64_t>& durations) {
  const std::int64_t sum = std::accumulate(durations.begin(), durations.end(), std::int64_t{0});
  if (durations.size() < 2) return sum;
  return sum - *std::max_element(durations.begin(), durations.end());
}

}  // namespace

Trial::Trial(std::uint32_t candidates, std::uint32_t rounds)
    : final_rounds_(rounds), settled_(candidates <= 1 || rounds == 0) {
  if (settled_) return;
  std::vector<std::uint32_t> all(candidates);
  std::iota(all.begin(), all.end(), 0U);
  start_stage(std::move(all));
}

void Trial::start_stage(std::vector<std::uint32_t> contenders) {
  contenders_ = std::move(contenders);
  samples_.clear();
  samples_.reserve(wanted());
}

std::uint32_t Trial::rounds() const {
  return contenders_.size() > 2 ? (final_rounds_ + 1) / 2 : final_rounds_;
}

std::uint32_t Trial::candidate_of(std::size_t call) const {
  const std::size_t round = call / contenders_.size();
  const std::size_t place = call % contenders_.size();
  return contenders_[round % 2 == 0 ? place : contenders_.size() - 1 - place];
}

std::uint32_t Trial::candidate() const {
  assert(!samples_are_due());
  return settled_ ? verdict_ : candidate_of(samples_.size());
}

void Trial::record(std::int64_t duration_ns) {
  assert(!settled_ && !samples_are_due());
  samples_.push_back(duration_ns);
}

std::vector<std::int64_t> Trial::durations_of(std::uint32_t candidate,
                                              std::span<const std::int64_t> longest) const {
  std::vector<std::int64_t> durations;
  for (std::size_t call = 0; call < longest.size(); ++call) {
    if (candidate_of(call) == candidate) durations.push_back(longest[call]);
  }
  return durations;
}

std::uint32_t Trial::best_of_ours(std::span<const std::int64_t> longest) const {
  return *std::min_element(
      contenders_.begin() + 1, contenders_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return forgiving_sum(durations_of(a, longest)) < forgiving_sum(durations_of(b, longest));
      });
}

// By the sum, and by at least three rounds in four: a sum alone can be won by the MPI library's bad
// luck in a single call.
bool Trial::beats_library(std::uint32_t candidate, std::span<const std::int64_t> longest) const {
  const std::vector<std::int64_t> ours = durations_of(candidate, longest);
  const std::vector<std::int64_t> library = durations_of(0, longest);
  std::size_t lost = 0;
  for (std::size_t round = 0; round < ours.size(); ++round) {
    if (ours[round] >= library[round]) ++lost;
  }
  return lost * 4 <= ours.size() &&
         forgiving_sum(ours) * 100 <= forgiving_sum(library) * worthwhile_percent;
}

void Trial::judge(std::span<const std::int64_t> longest) {
  assert(longest.size() == wanted());
  const std::uint32_t best = best_of_ours(longest);
  if (contenders_.size() > 2) {
    start_stage({0, best});
    return;
  }
  verdict_ = beats_library(best, longest) ? best : 0;
  settled_ = true;
  samples_.clear();
}

}  // namespace quadrille
