// SPDX-License-Identifier: BSD-3-Clause
// Spin, yield, sleep.
#include "executor/waiting.h"

#include <sched.h>
#include <time.h>

#include <algorithm>

#include "base/monotonic_clock.h"
#include "executor/throttling.h"

namespace quadrille {
namespace {

// Before the core is offered to others for the first time, and in `sleep` mode before it sleeps,
// about the half round trip between two sleeping processes (27-30 us measured on loopback).
constexpr std::uint32_t polls_before_yield = 1;
constexpr std::uint32_t polls_before_sleep = 64;
// A yield that found nobody else to run returns within about a microsecond. One that ran ranks
// which wait as this one does takes some tens of them, and as many yields bring what is awaited
// sooner than a sleep would: docs/decisions/73_small_calls_on_few_cores.md.
constexpr Nanoseconds contended_yield{5'000};
// It ran somebody who does not give the core back.
constexpr Nanoseconds long_yield{250'000};
constexpr std::uint32_t waits_before_look = 64;
constexpr Nanoseconds first_sleep{20'000};
constexpr Nanoseconds longest_sleep{1'000'000};
// Without contention a core is kept this long: longer than any latency of a local network.
constexpr Nanoseconds uncontended_spin{2'000'000};
constexpr Nanoseconds contended_spin{300'000};

// What spinning takes is missing where it is needed.
bool is_stopped_for_spinning(Nanoseconds now) {
  static const auto groups = limited_groups("/proc/self");
  thread_local Throttling throttling(groups);
  return throttling.has_happened(now);
}

}  // namespace

void Waiting::idle() {
  idle([](Nanoseconds time) {
    const timespec pause{0, static_cast<long>(time.value)};
    nanosleep(&pause, nullptr);
  });
}

bool Waiting::spin() {
  if (mode_ == WaitingMode::spin) return true;
  if (idle_polls_ == 0) idle_since_ = monotonic_now();
  ++idle_polls_;
  if (mode_ == WaitingMode::sleep) {
    sleep_ = std::max(sleep_, first_sleep);
    return idle_polls_ <= polls_before_sleep;
  }
  // Where the core was taken it is given away at once; now and then it is looked whether it still
  // is.
  const bool looks = is_taken_ && ++waits_while_taken_ % waits_before_look == 0;
  if (is_taken_ && !looks) {
    sleep_ = std::max(sleep_, first_sleep);
    return false;
  }
  if (!looks && idle_polls_ <= polls_before_yield) return true;
  if (!looks && sleep_.value > 0) return false;
  const Nanoseconds before = monotonic_now();
  sched_yield();
  const Nanoseconds after = monotonic_now();
  const Nanoseconds away = after - before;
  is_taken_ = away > long_yield || is_stopped_for_spinning(after);
  if (looks && !is_taken_) sleep_ = {0};
  const Nanoseconds longest_spin = away > contended_yield ? contended_spin : uncontended_spin;
  if (is_taken_ || after - idle_since_ > longest_spin) sleep_ = first_sleep;
  return true;
}

void Waiting::lengthen_sleep() {
  sleep_ = std::min(sleep_ + Nanoseconds{sleep_.value / 4}, longest_sleep);
}

}  // namespace quadrille
