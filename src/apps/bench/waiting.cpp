// SPDX-License-Identifier: BSD-3-Clause
// Sleeping with absolute deadlines.
#include "apps/bench/waiting.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <ctime>

#include "base/monotonic_clock.h"

namespace quadrille::bench {
namespace {

constexpr std::int64_t kSpinNs = 60'000;
constexpr int kYields = 8;

void sleep_until(std::int64_t instant_ns) {
  const timespec until{.tv_sec = instant_ns / 1'000'000'000, .tv_nsec = instant_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

}  // namespace

void sharpen_timers() { prctl(PR_SET_TIMERSLACK, 1000UL); }

void wait_until(std::int64_t instant_ns, bool spin) {
  const std::int64_t sleep_to = spin ? instant_ns - kSpinNs : instant_ns;
  if (monotonic_now().value < sleep_to) sleep_until(sleep_to);
  while (monotonic_now().value < instant_ns) {
  }
}

void PollingPause::pause() {
  if (turns_++ < kYields) {
    sched_yield();
    return;
  }
  const std::int64_t longer = std::min(turns_ - kYields, 10);
  sleep_until(monotonic_now().value + 20'000 * longer);
}

}  // namespace quadrille::bench
