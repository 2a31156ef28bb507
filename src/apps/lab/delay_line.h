// SPDX-License-Identifier: BSD-3-Clause
// One direction of a delayed trunk: frames wait here. A frame may leave `delay` and a random part
// of `jitter` after it arrived, never before the frame ahead of it. Times are nanoseconds of one
// clock, given by the caller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace quadrille::lab {

using Frame = std::vector<char>;

class DelayLine {
 public:
  DelayLine(std::int64_t delay_ns, std::int64_t jitter_ns, std::uint64_t seed)
      : delay_ns_(delay_ns), jitter_ns_(-jitter_ns, jitter_ns), chance_(seed) {}

  void push(Frame frame, std::int64_t arrived_ns);
  // When the first frame is due; nothing where none waits.
  std::optional<std::int64_t> next_ns() const;
  // The shortest time for which a frame waits.
  std::int64_t least_ns() const { return std::max<std::int64_t>(delay_ns_ + jitter_ns_.min(), 0); }
  // The first frame, if it is due.
  std::optional<Frame> pop_due(std::int64_t now_ns);

 private:
  std::int64_t delay_ns_;
  std::uniform_int_distribution<std::int64_t> jitter_ns_;
  std::mt19937_64 chance_;
  std::deque<std::pair<std::int64_t, Frame>> waiting_;  // ascending by when they leave
};

}  // namespace quadrille::lab
