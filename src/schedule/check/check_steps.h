// SPDX-License-Identifier: BSD-3-Clause
// What can be said of one rank's schedule without the other ranks: are its steps well formed, do
// they stay within the buffers, are conflicting accesses ordered.
#pragma once

#include "schedule/blocks.h"
#include "schedule/check/finding.h"
#include "schedule/shape.h"

namespace quadrille {

// One rank's part in a call.
struct RankOfCall {
  const Shape& shape;
  Rank rank = 0;
  LocalCounts counts;  // of a vector collective
};

void check_steps(const RankOfCall& of, const Schedule& schedule, Findings& findings);

}  // namespace quadrille
