// SPDX-License-Identifier: BSD-3-Clause
// What can be said of one rank's schedule without the other ranks: are its steps well formed, do
// they stay within the buffers, are conflicting accesses ordered.
#pragma once

#include "schedule/finding.h"
#include "schedule/shape.h"

namespace quadrille {

void check_steps(const Shape& shape, Rank rank, const Schedule& schedule, Findings& findings);

}  // namespace quadrille
