// SPDX-License-Identifier: BSD-3-Clause
// Clocks and waiting of a host that measures.
#pragma once

#include <cstdint>

namespace quadrille::probe {

std::int64_t realtime_ns();
std::int64_t steady_ns();

void sleep_for(std::int64_t duration_ns);

// For as long as this lives, this thread's timers fire at their time, not up to 50 us after it, and
// where the host allows it the thread goes before others that want its core.
class Punctual {
 public:
  Punctual();
  ~Punctual();
  Punctual(const Punctual&) = delete;
  Punctual& operator=(const Punctual&) = delete;

 private:
  int slack_before_ns_;
  int niceness_before_;
};

}  // namespace quadrille::probe
