// SPDX-License-Identifier: BSD-3-Clause
// When the ranks of a communicator ask each other whether multicast reaches them all: before the
// first call that uses it, and again after 64 such calls or 4 MiB, whatever comes first, so that
// asking is a small share of what the calls take. Once they have found that it does not, they go
// without, and ask again after as many calls of any kind, each time in vain after twice as many as
// before, until it does. A state machine without messages.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace quadrille {

class MulticastWatch {
 public:
  // Takes note of the next call, of `size`: with multicast every one that is expected to use it
  // when it begins, without it every one. Whether the ranks ask before it. All say so for the same
  // calls.
  bool is_due(Bytes size) {
    const bool due = calls_left_ == 0 || bytes_ >= most_bytes_;
    if (due) begin();
    --calls_left_;
    bytes_ += size.value;
    return due;
  }
  // What they have found when they asked: whether multicast reaches all. Returns whether that is
  // news.
  bool found(bool reaches_all) {
    if (reaches_all == is_away_) {
      is_away_ = !reaches_all;
      times_ = 1;
      begin();
      return true;
    }
    if (is_away_) {
      times_ = std::min(times_ * 2, most_times);
      begin();
    }
    return false;
  }
  // The ranks go without.
  bool is_away() const { return is_away_; }

  static constexpr std::uint32_t most_calls = 64;
  static constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20U;
  static constexpr std::uint32_t most_times = 64;

 private:
  void begin() {
    calls_left_ = most_calls * times_;
    most_bytes_ = most_bytes * times_;
    bytes_ = 0;
  }

  bool is_away_ = false;
  std::uint32_t times_ = 1;
  std::uint32_t calls_left_ = 0;
  std::uint64_t most_bytes_ = most_bytes;
  std::uint64_t bytes_ = 0;
};

}  // namespace quadrille
