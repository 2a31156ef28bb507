// SPDX-License-Identifier: BSD-3-Clause
// Decisions and trials as lines of the log (QUADRILLE_LOG=plan).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "planner/planner.h"

namespace quadrille {

// A stage of a trial: the slowest rank's time of each call, in nanoseconds, by candidate.
// REQUIRES: decision.trial.samples_are_due().
std::string stage_line(const Shape& shape, Bytes size, const Decision& decision,
                       std::span<const std::int64_t> longest);

// Who executes calls of this class from now on, what the model says of it and of the others.
// REQUIRES: decision.trial.settled().
std::string plan_line(const Shape& shape, Bytes size, const Decision& decision);

}  // namespace quadrille
