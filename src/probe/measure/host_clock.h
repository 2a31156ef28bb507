// SPDX-License-Identifier: BSD-3-Clause
// One host's clock beside the coordinator's: how far it is ahead, and how that changes. The
// arithmetic sees only measured values.
//
// Clocks are CLOCK_REALTIME, because that is what the kernel stamps arriving datagrams with.
#pragma once

#include <cstdint>
#include <optional>

namespace quadrille::probe {

// How far the host's clock was ahead at one instant of the coordinator's; wrong by at most
// `uncertainty_ns`, half of the round trip that showed it.
struct ClockSample {
  std::int64_t at_ns = 0;
  std::int64_t ahead_ns = 0;
  std::int64_t uncertainty_ns = 0;
};

class HostClock {
 public:
  // A sample that is less certain than what older ones promise is not taken. The drift is used
  // once two samples differ by more than their uncertainty could make them.
  void learn(const ClockSample& sample);
  // Clocks of one kernel are one clock.
  void is_the_coordinators() { *this = {}; }

  std::int64_t ahead_ns(std::int64_t at_ns) const;
  double drift() const { return drift_; }  // ns ahead more, a ns
  std::int64_t uncertainty_ns(std::int64_t at_ns) const;

 private:
  std::optional<ClockSample> first_;
  ClockSample latest_;
  double drift_ = 0;
};

}  // namespace quadrille::probe
