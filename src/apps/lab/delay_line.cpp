// SPDX-License-Identifier: BSD-3-Clause
#include "apps/lab/delay_line.h"

#include <algorithm>

namespace quadrille::lab {

void DelayLine::push(Frame frame, std::int64_t arrived_ns) {
  std::int64_t leaves_ns = arrived_ns + delay_ns_ + jitter_ns_(chance_);
  if (!waiting_.empty()) leaves_ns = std::max(leaves_ns, waiting_.back().first);
  waiting_.emplace_back(leaves_ns, std::move(frame));
}

std::optional<std::int64_t> DelayLine::next_ns() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.front().first;
}

std::optional<Frame> DelayLine::pop_due(std::int64_t now_ns) {
  if (waiting_.empty() || waiting_.front().first > now_ns) return std::nullopt;
  Frame frame = std::move(waiting_.front().second);
  waiting_.pop_front();
  return frame;
}

}  // namespace quadrille::lab
