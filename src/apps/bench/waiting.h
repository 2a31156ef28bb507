// SPDX-License-Identifier: BSD-3-Clause
// Waiting that leaves the processor to others: ranks may outnumber cores, and one that spins for
// its own sake slows down the call that is being measured.
#pragma once

#include <cstdint>

namespace quadrille::bench {

// Lets this thread's timers fire within a microsecond instead of the kernel's usual 50.
void sharpen_timers();

// Sleeps until CLOCK_MONOTONIC reads `instant_ns`; with `spin` the last 60 us are spent reading the
// clock.
void wait_until(std::int64_t instant_ns, bool spin);

// One step of waiting for something that has to be polled: yields at first, then sleeps 20 us, and
// longer the longer it takes, up to 200 us (an MPI library makes progress only when it is called).
class PollingPause {
 public:
  void pause();

 private:
  int turns_ = 0;
};

}  // namespace quadrille::bench
