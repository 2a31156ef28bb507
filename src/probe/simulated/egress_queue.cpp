// SPDX-License-Identifier: BSD-3-Clause
// Departure times by the rate or by the token bucket (as Linux's tbf computes them).
#include "probe/simulated/egress_queue.h"

#include <algorithm>
#include <cmath>

namespace quadrille::probe {

EgressQueue::EgressQueue(const QueuePlan& plan) : plan_(plan) {
  if (plan.rate_bit_s <= 0) return;
  ns_per_byte_ = 8e9 / plan.rate_bit_s;
  if (plan.ambient_share <= 0) return;
  const double frame_ns = kAmbientFrameBytes * ns_per_byte_;
  ambient_gap_ns_ = frame_ns / plan.ambient_share;
  // A single-server queue forgets its past within a few relaxation times, service time over
  // (1 - sqrt(load))^2 (Cohen, The Single Server Queue, 1982).
  const double margin = 1 - std::sqrt(plan.ambient_share);
  ambient_memory_ns_ = 10 * frame_ns / (margin * margin);
}

std::optional<std::int64_t> EgressQueue::accept(std::int64_t now_ns, std::uint32_t bytes,
                                                Chance& chance) {
  if (ns_per_byte_ == 0) return now_ns + plan_.delay_ns;
  const auto now = static_cast<double>(now_ns);
  draw_ambient(now, chance);
  let_leave(now);
  if (!has_room(bytes)) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(take(now, bytes))) + plan_.delay_ns;
}

std::uint32_t EgressQueue::occupied_bytes(std::int64_t now_ns, Chance& chance) {
  if (ns_per_byte_ == 0) return 0;
  draw_ambient(static_cast<double>(now_ns), chance);
  let_leave(static_cast<double>(now_ns));
  return static_cast<std::uint32_t>(occupied_);
}

void EgressQueue::let_leave(double now_ns) {
  while (!waiting_.empty() && waiting_.front().leaves_ns <= now_ns) {
    occupied_ -= waiting_.front().bytes;
    waiting_.pop();
  }
}

void EgressQueue::draw_ambient(double now_ns, Chance& chance) {
  if (ambient_gap_ns_ == 0) return;
  while (next_ambient_ns_ <= now_ns) {
    const double remembered_ns = now_ns - ambient_memory_ns_;
    if (next_ambient_ns_ < remembered_ns && last_left_ns_ < remembered_ns) {
      next_ambient_ns_ = remembered_ns;
    } else {
      let_leave(next_ambient_ns_);
      if (has_room(kAmbientFrameBytes)) take(next_ambient_ns_, kAmbientFrameBytes);
    }
    next_ambient_ns_ += chance.exponential(ambient_gap_ns_);
  }
}

double EgressQueue::take(double now_ns, std::uint32_t bytes) {
  const double wire_ns = bytes * ns_per_byte_;
  const double begin_ns = std::max(now_ns, last_left_ns_);
  if (plan_.bucket_bytes == 0) {
    last_left_ns_ = begin_ns + wire_ns;
  } else {
    // A frame leaves at once when there are tokens for all of it.
    const double enough_ns = bucket_full_ns_ - plan_.bucket_bytes * ns_per_byte_ + wire_ns;
    last_left_ns_ = std::max(begin_ns, enough_ns);
    bucket_full_ns_ = std::max(bucket_full_ns_, last_left_ns_) + wire_ns;
  }
  if (last_left_ns_ > now_ns) {
    occupied_ += bytes;
    waiting_.push({last_left_ns_, bytes});
  }
  return last_left_ns_;
}

}  // namespace quadrille::probe
