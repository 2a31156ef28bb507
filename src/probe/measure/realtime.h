// SPDX-License-Identifier: BSD-3-Clause
// Clocks and waiting of a host that measures.
#pragma once

#include <cstdint>

namespace quadrille::probe {

std::int64_t realtime_ns();
std::int64_t steady_ns();

void sleep_for(std::int64_t duration_ns);

// Timers of this thread fire at their time for as long as this lives, not up to 50 us after it.
class PunctualTimers {
 public:
  PunctualTimers();
  ~PunctualTimers();
  PunctualTimers(const PunctualTimers&) = delete;
  PunctualTimers& operator=(const PunctualTimers&) = delete;

 private:
  int slack_before_ns_;
};

}  // namespace quadrille::probe
