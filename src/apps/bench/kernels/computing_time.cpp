// SPDX-License-Identifier: BSD-3-Clause
// A tree is built whole by each rank; the pulls are as many as it has bodies.
#include "apps/bench/kernels/computing_time.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include "apps/bench/kernels/barnes_hut.h"

namespace quadrille::bench {
namespace {

constexpr std::size_t kMostMeasured = 256;
constexpr int kRepetitions = 3;

std::int64_t processor_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// So that the compiler keeps what computes it.
void keep(const Vector& value) {
  volatile double kept = value.x;
  static_cast<void>(kept);
}

template <typename Pull>
double time_of_pulls_ns(std::size_t own, Pull pull) {
  const std::size_t measured = std::min(own, kMostMeasured);
  const std::int64_t began = processor_time_ns();
  for (std::size_t body = 0; body < measured; ++body) keep(pull(body));
  return static_cast<double>(processor_time_ns() - began) * static_cast<double>(own) /
         static_cast<double>(std::max<std::size_t>(measured, 1));
}

double once_ns(const Bodies& bodies, std::size_t own, Forces forces) {
  if (forces == Forces::direct) {
    return time_of_pulls_ns(
        own, [&](std::size_t body) { return direct_pull(bodies.positions, bodies.mass(), body); });
  }
  const std::int64_t began = processor_time_ns();
  const GravityTree tree(bodies.positions, bodies.mass());
  const auto built = static_cast<double>(processor_time_ns() - began);
  return built + time_of_pulls_ns(own, [&](std::size_t body) { return tree.pull(body); });
}

}  // namespace

std::int64_t computing_time_ns(const Bodies& bodies, std::size_t own, Forces forces) {
  if (forces == Forces::none || own == 0) return 0;
  double least = std::numeric_limits<double>::max();
  for (int repetition = 0; repetition < kRepetitions; ++repetition)
    least = std::min(least, once_ns(bodies, own, forces));
  return static_cast<std::int64_t>(least);
}

}  // namespace quadrille::bench
