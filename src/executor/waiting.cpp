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

// A poll of the MPI library costs a few hundred ns, or gives the core away itself. So this spins
// some tens of microseconds: about the half round trip between two sleeping processes (27-30 us
// measured on loopback), the point from which sleeping costs no more.
constexpr std::uint32_t polls_before_yield = 64;
// Who is woken by what comes, or looks for it in memory, does without that: of ranks that share a
// core those that wait run one behind the other, and what each is to find is there soonest if none
// spins (docs/decisions/73_small_calls_on_few_cores.md).
constexpr std::uint32_t polls_before_yield_at_once = 1;
// A yield that found nobody else to run returns within about a microsecond.
constexpr Nanoseconds contended_yield{5'000};
// One that ran others who wait takes some tens of them for each; what is longer ran somebody who
// keeps the core. To see that again costs as much again.
constexpr Nanoseconds long_yield{1'000'000};
// The first may have run all who wait, once each, while some of them had work to do.
constexpr std::uint32_t long_yields_if_taken = 2;
constexpr Nanoseconds between_looks{100'000'000};
constexpr Nanoseconds first_sleep{20'000};
constexpr Nanoseconds longest_sleep{1'000'000};
// Without contention a core is kept this long: longer than any latency of a local network.
constexpr Nanoseconds uncontended_spin{2'000'000};
constexpr Nanoseconds contended_spin{1'000'000};

// What spinning takes is missing where it is needed.
bool is_stopped_for_spinning(Nanoseconds now) {
  static const auto groups = limited_groups("/proc/self");
  thread_local Throttling throttling(groups);
  return throttling.has_happened(now);
}

}  // namespace

Core& Core::of_this_thread() {
  thread_local Core core{monotonic_now, [] { sched_yield(); }, is_stopped_for_spinning};
  return core;
}

void Waiting::idle() {
  idle(false, [](Nanoseconds time) {
    const timespec pause{0, static_cast<long>(time.value)};
    nanosleep(&pause, nullptr);
  });
}

bool Waiting::spin(bool offers_at_once) {
  if (mode_ == WaitingMode::spin) return true;
  if (idle_polls_ == 0) idle_since_ = core_.now();
  ++idle_polls_;
  const bool is_given_away = idle_since_ < core_.taken_until;
  if (mode_ == WaitingMode::sleep || is_given_away) {
    sleep_ = std::max(sleep_, first_sleep);
    return !is_given_away && idle_polls_ <= polls_before_yield;
  }
  if (idle_polls_ <= (offers_at_once ? polls_before_yield_at_once : polls_before_yield))
    return true;
  if (sleep_.value > 0) return false;
  const Nanoseconds before = core_.now();
  core_.yield();
  const Nanoseconds after = core_.now();
  const Nanoseconds away = after - before;
  core_.long_yields = away > long_yield ? core_.long_yields + 1 : 0;
  const bool is_taken = core_.long_yields >= long_yields_if_taken || core_.is_throttled(after);
  if (is_taken) core_.taken_until = after + between_looks;
  const Nanoseconds longest_spin = away > contended_yield ? contended_spin : uncontended_spin;
  if (is_taken || after - idle_since_ > longest_spin) sleep_ = first_sleep;
  return true;
}

void Waiting::lengthen_sleep() {
  sleep_ = std::min(sleep_ + Nanoseconds{sleep_.value / 4}, longest_sleep);
}

}  // namespace quadrille
