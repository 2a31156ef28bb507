// SPDX-License-Identifier: BSD-3-Clause
#include "planner/shared_size.h"

#include <algorithm>

namespace quadrille {
namespace {

// Of 16 ranks' smallest exchanges a comparison costs about a quarter.
constexpr std::uint32_t longest_interval = 32;
constexpr std::uint32_t interval_after_change = 4;

bool is_alike(Bytes one, Bytes other) {
  return one.value <= 2 * other.value && other.value <= 2 * one.value;
}

}  // namespace

bool needs_shared_size(Collective collective) {
  return collective == Collective::alltoallv || collective == Collective::gatherv ||
         collective == Collective::scatterv;
}

bool SharedSize::is_due(Bytes own, bool at_once) {
  largest_ = std::max(largest_, own);
  at_once_ = at_once && calls_left_ > 0;
  if (calls_left_ == 0 || at_once) return true;
  --calls_left_;
  return false;
}

void SharedSize::learn(Bytes largest) {
  largest_ = {0};
  const bool is_as_before = is_alike(largest, agreed_);
  if (!is_as_before) agreed_ = largest;
  if (at_once_) return;
  interval_ = is_as_before ? std::min(2 * interval_, longest_interval)
                           : std::max(interval_ / 2, interval_after_change);
  calls_left_ = interval_ - 1;
}

}  // namespace quadrille
