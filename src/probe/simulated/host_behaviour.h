// SPDX-License-Identifier: BSD-3-Clause
// A host's processor and clock as they show in what it measures: jitter, stalls, offset, drift.
#pragma once

#include <cstdint>

#include "probe/simulated/chance.h"
#include "probe/simulated/conditions.h"
#include "probe/simulated/topologies/topology.h"

namespace quadrille::probe {

class HostBehaviour {
 public:
  HostBehaviour(const SimulatedHost& host, const Conditions& conditions, std::uint64_t seed);

  // The earliest time from `now_ns` on at which the processor is there. REQUIRES: times come in
  // order, so not of what is only planned.
  std::int64_t ready_at(std::int64_t now_ns);
  // How long a send call takes, and the kernel until a frame's arrival is stamped.
  std::int64_t send_cost_ns();
  std::int64_t stamp_cost_ns();
  // How far the clock is ahead of the true time.
  std::int64_t clock_error_ns(std::int64_t now_ns) const;

  // Settles when the round that begins at `start_ns` begins here.
  void begin_round(std::int64_t start_ns);
  bool began_late() const { return began_late_; }
  std::int64_t round_start_ns() const { return round_start_ns_; }
  // The longest stall that began since the round did.
  std::int64_t longest_stall_ns() const { return longest_stall_ns_; }

  std::int64_t send_overhead_ns() const { return send_overhead_ns_; }
  std::int64_t receive_overhead_ns() const { return receive_overhead_ns_; }
  Chance& chance() { return chance_; }

 private:
  Chance chance_;
  double jitter_ns_;
  double stall_gap_ns_;  // mean; 0: none
  double stall_ns_;
  double late_starts_;
  std::int64_t send_overhead_ns_;
  std::int64_t receive_overhead_ns_;
  std::int64_t clock_offset_ns_;
  double clock_drift_;
  std::int64_t next_stall_ns_ = 0;
  std::int64_t stalled_until_ns_ = 0;
  std::int64_t longest_stall_ns_ = 0;
  std::int64_t round_start_ns_ = 0;
  bool began_late_ = false;
};

}  // namespace quadrille::probe
