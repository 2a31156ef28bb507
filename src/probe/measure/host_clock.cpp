// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/host_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace quadrille::probe {
namespace {

// Crystals of computers are within 100 parts in a million of each other; twice for safety.
constexpr double unknown_drift = 200e-6;
constexpr double most_drift = 500e-6;  // beyond that something else has happened, such as a step
// What remains of the drift's error once it is known.
constexpr double known_drift = 5e-6;
constexpr std::int64_t long_enough_ns = 1'000'000'000;

}  // namespace

void HostClock::learn(const ClockSample& sample) {
  if (!first_) {
    first_ = latest_ = sample;
    return;
  }
  const std::int64_t unexplained = std::llabs(sample.ahead_ns - ahead_ns(sample.at_ns));
  const std::int64_t promised = uncertainty_ns(sample.at_ns);
  // The clock was set: what was known before is worth nothing.
  if (unexplained > promised + sample.uncertainty_ns + 1'000'000) {
    first_ = latest_ = sample;
    drift_ = 0;
    return;
  }
  if (sample.uncertainty_ns > promised) return;
  // A far better sample starts anew: between it and a coarse one no drift can be seen.
  if (first_->uncertainty_ns > 10 * sample.uncertainty_ns + 10'000) first_ = sample;
  latest_ = sample;
  const std::int64_t elapsed = sample.at_ns - first_->at_ns;
  const std::int64_t change = sample.ahead_ns - first_->ahead_ns;
  if (elapsed < long_enough_ns) return;
  if (std::llabs(change) <= sample.uncertainty_ns + first_->uncertainty_ns) return;
  drift_ = std::clamp(static_cast<double>(change) / static_cast<double>(elapsed), -most_drift,
                      most_drift);
}

std::int64_t HostClock::ahead_ns(std::int64_t at_ns) const {
  return latest_.ahead_ns + std::llround(drift_ * static_cast<double>(at_ns - latest_.at_ns));
}

std::int64_t HostClock::uncertainty_ns(std::int64_t at_ns) const {
  if (!first_) return std::numeric_limits<std::int64_t>::max() / 2;
  const double age = static_cast<double>(std::llabs(at_ns - latest_.at_ns));
  return latest_.uncertainty_ns + std::llround(age * (drift_ == 0 ? unknown_drift : known_drift));
}

}  // namespace quadrille::probe
