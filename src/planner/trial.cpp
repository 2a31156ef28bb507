// SPDX-License-Identifier: BSD-3-Clause
// Rounds there and back (A B C, C B A, ...), so that a drift of the network's load hits all candidates alike.
#include "planner/trial.h"

#include <cassert>

namespace quadrille {
namespace {

// A candidate replaces the MPI library only if it takes at most this share of its time, in percent: less is within what
// two runs of the same algorithm differ by.
constexpr std::int64_t worthwhile_percent = 95;

}  // namespace

Trial::Trial(std::uint32_t candidates, std::uint32_t rounds)
    : candidates_(candidates),
      wanted_(std::size_t{candidates} * rounds),
      settled_(candidates <= 1 || rounds == 0) {
  if (!settled_) samples_.reserve(wanted_);
}

std::uint32_t Trial::candidate_of(std::size_t call) const {
  const std::size_t round = call / candidates_;
  const auto position = static_cast<std::uint32_t>(call % candidates_);
  return round % 2 == 0 ? position : candidates_ - 1 - position;
}

std::uint32_t Trial::candidate() const {
  assert(!samples_are_due());
  return settled_ ? verdict_ : candidate_of(samples_.size());
}

void Trial::record(std::int64_t duration_ns) {
  assert(!settled_ && samples_.size() < wanted_);
  samples_.push_back(duration_ns);
}

// Whether the verdict beat the MPI library in all rounds but one at the most: a mean alone can be won by the MPI library's bad
// luck in a single call.
bool Trial::won_rounds(std::span<const std::int64_t> longest) const {
  std::size_t lost = 0;
  for (std::size_t first = 0; first < wanted_; first += candidates_) {
    std::int64_t mine = 0;
    std::int64_t library = 0;
    for (std::size_t call = first; call < first + candidates_; ++call) {
      if (candidate_of(call) == verdict_) mine = longest[call];
      if (candidate_of(call) == 0) library = longest[call];
    }
    if (mine >= library) ++lost;
  }
  return lost <= 1;
}

void Trial::decide(std::span<const std::int64_t> longest) {
  assert(longest.size() == wanted_);
  const std::size_t rounds = wanted_ / candidates_;
  std::vector<std::int64_t> total(candidates_, 0);
  std::vector<std::int64_t> worst(candidates_, 0);
  for (std::size_t call = 0; call < wanted_; ++call) {
    const std::uint32_t candidate = candidate_of(call);
    total[candidate] += longest[call];
    if (longest[call] > worst[candidate]) worst[candidate] = longest[call];
  }
  // One outlier each is forgiven: the first call of a candidate opens connections.
  if (rounds > 1) {
    for (std::uint32_t i = 0; i < candidates_; ++i) total[i] -= worst[i];
  }
  verdict_ = 0;
  for (std::uint32_t i = 1; i < candidates_; ++i) {
    if (total[i] < total[verdict_]) verdict_ = i;
  }
  if (total[verdict_] * 100 > total[0] * worthwhile_percent || !won_rounds(longest)) verdict_ = 0;
  settled_ = true;
  samples_ = {};
}

}  // namespace quadrille
