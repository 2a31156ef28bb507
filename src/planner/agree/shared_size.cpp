// SPDX-License-Identifier: BSD-3-Clause
#include "planner/agree/shared_size.h"

#include <algorithm>

namespace quadrille {
namespace {

// Of 16 ranks' smallest exchanges a comparison costs about a quarter.
constexpr std::uint32_t usual_interval = 32;
constexpr std::uint32_t longest_interval = 1024;
constexpr std::uint64_t whole = 1000;
constexpr std::uint64_t enough_beside = 995;
constexpr std::uint32_t interval_after_change = 4;

bool is_alike(Bytes one, Bytes other) {
  return one.value <= 2 * other.value && other.value <= 2 * one.value;
}

}  // namespace

bool needs_shared_size(Collective collective) {
  return collective == Collective::alltoallv || collective == Collective::gatherv ||
         collective == Collective::scatterv || collective == Collective::neighbor_alltoallv;
}

bool SharedSize::is_due(Bytes own, bool in_trial) {
  largest_ = std::max(largest_, own);
  const bool has_compared = last_end_.value != 0;
  if (in_trial && trusts_ && has_compared) {
    varied_ = varied_ || !is_alike(own, own_then_);
    return false;
  }
  is_early_ = in_trial && calls_left_ > 0;
  if (calls_left_ == 0 || in_trial) {
    own_then_ = own;
    return true;
  }
  --calls_left_;
  return false;
}

void SharedSize::learn(const Comparison& of_all, Nanoseconds start, Nanoseconds end) {
  if (last_end_.value != 0 && end > last_end_) {
    const auto passed = static_cast<std::uint64_t>((end - last_end_).value);
    time_beside_ = static_cast<std::uint64_t>((start - last_end_).value) * whole / passed;
  }
  last_end_ = end;
  largest_ = {0};
  const Bytes largest{of_all.largest};
  const bool is_as_before = is_alike(largest, agreed_);
  if (!is_as_before) agreed_ = largest;
  if (is_early_) return;
  if (!is_as_before) {
    interval_ = std::max(interval_ / 2, interval_after_change);
  } else if (of_all.time_beside < enough_beside) {
    interval_ = std::min(4 * interval_, longest_interval);
  } else if (interval_ < usual_interval) {
    interval_ *= 2;
  }
  calls_left_ = interval_ - 1;
}

bool SharedSize::end_stage(bool some_share_varied) {
  const bool tells_nothing = trusts_ && some_share_varied;
  varied_ = false;
  if (tells_nothing) trusts_ = false;
  return tells_nothing;
}

}  // namespace quadrille
