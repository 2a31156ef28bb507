// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <ctime>

#include "apps/bench/waiting.h"
#include "apps/solvers/mpi/job.h"
#include "base/monotonic_clock.h"

namespace quadrille::solvers {
namespace {

std::int64_t processor_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void Pacing::begin() {
  began_ns_ = monotonic_now().value;
  began_cpu_ns_ = processor_time_ns();
}

void Pacing::end(double whole_ns) {
  computed_ns_ += processor_time_ns() - began_cpu_ns_;
  if (whole_ns <= 0) return;
  const std::int64_t end = began_ns_ + static_cast<std::int64_t>(whole_ns);
  late_ns_ += std::max<std::int64_t>(monotonic_now().value - end, 0);
  bench::wait_until(end, false);
}

}  // namespace quadrille::solvers
