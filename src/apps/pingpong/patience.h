// SPDX-License-Identifier: BSD-3-Clause
// Ends a wait in which nothing has moved for ten seconds.
#pragma once

#include "base/monotonic_clock.h"

namespace quadrille::pingpong {

class Patience {
 public:
  // Once a round of a spinning wait; the clock is read once in a thousand that moved nothing.
  bool lasts(bool moved) {
    if (moved) rounds_ = 0;
    if (++rounds_ % looks != 0) return true;
    const Nanoseconds now = monotonic_now();
    if (rounds_ == looks) since_ = now;
    return now - since_ < most;
  }

 private:
  static constexpr Nanoseconds most{10'000'000'000};
  static constexpr unsigned looks = 1000;
  unsigned rounds_ = 0;
  Nanoseconds since_{};  // from the first look on
};

}  // namespace quadrille::pingpong
