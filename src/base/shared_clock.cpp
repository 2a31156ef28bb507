// SPDX-License-Identifier: BSD-3-Clause
// Cristian's minimum-round-trip offset estimate (F. Cristian, Distrib. Comput. 3:146, 1989,
// doi:10.1007/BF01784024).
#include "base/shared_clock.h"

#include <cmath>

namespace quadrille {
namespace {

// Clocks of computers drift by less than 100 ppm against each other: one ns in this many.
constexpr std::int64_t kNsPerDriftNs = 10'000;

}  // namespace

OffsetEstimate estimate_from(std::int64_t asked_ns, std::int64_t remote_ns,
                             std::int64_t answered_ns) {
  const std::int64_t round_trip = answered_ns - asked_ns;
  return {.at_ns = remote_ns,
          .offset_ns = remote_ns - (asked_ns + round_trip / 2),
          .uncertainty_ns = (round_trip + 1) / 2};
}

void SharedClock::learn(const OffsetEstimate& estimate) {
  if (!first_) {
    first_ = latest_ = estimate;
    return;
  }
  const std::int64_t since_latest = estimate.at_ns - latest_.at_ns;
  const std::int64_t aged = latest_.uncertainty_ns + since_latest / kNsPerDriftNs;
  if (aged < estimate.uncertainty_ns) {
    latest_ = {
        .at_ns = estimate.at_ns, .offset_ns = offset_at(estimate.at_ns), .uncertainty_ns = aged};
    return;
  }
  latest_ = estimate;
  const auto elapsed = static_cast<double>(estimate.at_ns - first_->at_ns);
  if (elapsed <= 0) return;
  const double change = static_cast<double>(estimate.offset_ns - first_->offset_ns);
  const double doubt = static_cast<double>(estimate.uncertainty_ns + first_->uncertainty_ns);
  drift_ = std::abs(change) > doubt ? change / elapsed : 0;
}

std::int64_t SharedClock::offset_at(std::int64_t local_ns) const {
  return latest_.offset_ns + std::llround(drift_ * static_cast<double>(local_ns - latest_.at_ns));
}

}  // namespace quadrille
