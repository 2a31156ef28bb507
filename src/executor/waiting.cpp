// SPDX-License-Identifier: BSD-3-Clause
// Spin, yield, sleep.
#include "executor/waiting.h"

#include <sched.h>
#include <time.h>

#include <algorithm>

#include "base/monotonic_clock.h"

namespace quadrille {
namespace {

// A poll of the MPI library costs a few hundred ns, so this spins some tens of microseconds: about
// the half round trip between two sleeping processes (27-30 us measured on loopback), the point
// from which sleeping costs no more.
constexpr std::uint32_t polls_before_yield = 64;
// A yield that found nobody else to run returns within about a microsecond.
constexpr Nanoseconds contended_yield{5'000};
constexpr Nanoseconds first_sleep{20'000};
constexpr Nanoseconds longest_sleep{1'000'000};
// Without contention a core is kept this long: longer than any latency of a local network.
constexpr Nanoseconds uncontended_spin{2'000'000};

}  // namespace

void Waiting::idle() {
  if (idle_polls_ == 0) idle_since_ = monotonic_now();
  ++idle_polls_;
  if (idle_polls_ <= polls_before_yield) return;
  if (sleep_.value > 0) {
    sleep();
    return;
  }
  const Nanoseconds before = monotonic_now();
  sched_yield();
  const Nanoseconds after = monotonic_now();
  if (after - before > contended_yield || after - idle_since_ > uncontended_spin)
    sleep_ = first_sleep;
}

void Waiting::sleep() {
  const timespec pause{0, static_cast<long>(sleep_.value)};
  nanosleep(&pause, nullptr);
  sleep_ = std::min(sleep_ + Nanoseconds{sleep_.value / 4}, longest_sleep);
}

}  // namespace quadrille
