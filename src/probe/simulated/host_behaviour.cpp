// SPDX-License-Identifier: BSD-3-Clause
// Draws a host's noise.
#include "probe/simulated/host_behaviour.h"

#include <algorithm>

namespace quadrille::probe {
namespace {

constexpr std::int64_t kKernelStampNs = 2000;  // from the interface to the receive stamp
constexpr double kLatestStartNs = 8e6;

}  // namespace

HostBehaviour::HostBehaviour(const SimulatedHost& host, const Conditions& conditions,
                             std::uint64_t seed)
    : chance_(seed),
      jitter_ns_(conditions.jitter_ns),
      stall_gap_ns_(conditions.stalls_per_s > 0 ? 1e9 / conditions.stalls_per_s : 0),
      stall_ns_(conditions.stall_ns),
      late_starts_(conditions.late_starts),
      send_overhead_ns_(host.send_overhead_ns),
      receive_overhead_ns_(host.receive_overhead_ns) {
  const auto offset = static_cast<double>(conditions.clock_offset_ns);
  clock_offset_ns_ = static_cast<std::int64_t>(chance_.between(-offset, offset));
  clock_drift_ = chance_.between(-conditions.clock_drift_ppm, conditions.clock_drift_ppm) * 1e-6;
  next_stall_ns_ = static_cast<std::int64_t>(chance_.exponential(stall_gap_ns_));
}

std::int64_t HostBehaviour::ready_at(std::int64_t now_ns) {
  while (stall_gap_ns_ > 0 && next_stall_ns_ <= now_ns) {
    const auto length = static_cast<std::int64_t>(chance_.exponential(stall_ns_));
    if (next_stall_ns_ >= round_start_ns_) longest_stall_ns_ = std::max(longest_stall_ns_, length);
    stalled_until_ns_ = next_stall_ns_ + length;
    next_stall_ns_ =
        stalled_until_ns_ + static_cast<std::int64_t>(chance_.exponential(stall_gap_ns_));
  }
  return std::max(now_ns, stalled_until_ns_);
}

std::int64_t HostBehaviour::send_cost_ns() {
  return send_overhead_ns_ + static_cast<std::int64_t>(chance_.exponential(jitter_ns_));
}

std::int64_t HostBehaviour::stamp_cost_ns() {
  return kKernelStampNs + static_cast<std::int64_t>(chance_.exponential(jitter_ns_));
}

std::int64_t HostBehaviour::clock_error_ns(std::int64_t now_ns) const {
  return clock_offset_ns_ + static_cast<std::int64_t>(static_cast<double>(now_ns) * clock_drift_);
}

void HostBehaviour::begin_round(std::int64_t start_ns) {
  round_start_ns_ = start_ns - clock_error_ns(start_ns);
  longest_stall_ns_ = 0;
  began_late_ = chance_.happens(late_starts_);
  if (!began_late_) return;
  round_start_ns_ += static_cast<std::int64_t>(chance_.between(kLatestStartNs / 2, kLatestStartNs));
}

}  // namespace quadrille::probe
