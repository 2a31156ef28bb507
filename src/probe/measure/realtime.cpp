// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/realtime.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

namespace quadrille::probe {
namespace {

constexpr id_t own_thread = 0;  // as Linux understands it, not the whole process
constexpr int highest_priority = -20;

std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t realtime_ns() { return read_clock(CLOCK_REALTIME); }
std::int64_t steady_ns() { return read_clock(CLOCK_MONOTONIC); }

void sleep_for(std::int64_t duration_ns) {
  if (duration_ns <= 0) return;
  const timespec pause{duration_ns / 1'000'000'000, static_cast<long>(duration_ns % 1'000'000'000)};
  nanosleep(&pause, nullptr);
}

Punctual::Punctual()
    : slack_before_ns_(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)),
      niceness_before_(getpriority(PRIO_PROCESS, own_thread)) {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  setpriority(PRIO_PROCESS, own_thread, highest_priority);
}

Punctual::~Punctual() {
  if (slack_before_ns_ > 0) prctl(PR_SET_TIMERSLACK, slack_before_ns_, 0, 0, 0);
  setpriority(PRIO_PROCESS, own_thread, niceness_before_);
}

}  // namespace quadrille::probe
