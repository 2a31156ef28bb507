// SPDX-License-Identifier: BSD-3-Clause
// A round's time on one host: nanoseconds since the common start, in the coordinator's clock.
#pragma once

#include <cmath>
#include <cstdint>

#include "probe/measure/realtime.h"

namespace quadrille::probe {

class RoundClock {
 public:
  RoundClock(std::int64_t start_ns, std::int64_t drift_ppb)
      : start_ns_(start_ns), drift_(static_cast<double>(drift_ppb) * 1e-9) {}

  // Of an instant of this host's clock.
  std::int64_t at(std::int64_t local_ns) const {
    const std::int64_t since = local_ns - start_ns_;
    return since - std::llround(static_cast<double>(since) * drift_);
  }
  std::int64_t now() const { return at(realtime_ns()); }

 private:
  std::int64_t start_ns_;
  double drift_;
};

}  // namespace quadrille::probe
