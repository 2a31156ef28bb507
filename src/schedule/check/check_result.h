// SPDX-License-Identifier: BSD-3-Clause
// The postcondition of each collective: what has to lie in each rank's receive buffer after the
// call.
#pragma once

#include <span>

#include "schedule/blocks.h"
#include "schedule/check/execution.h"
#include "schedule/check/finding.h"
#include "schedule/shape.h"

namespace quadrille {

// REQUIRES: `execution` ran without findings; of a vector collective `counts` are what each rank
// knows.
void check_result(const Shape& shape, std::span<const LocalCounts> counts,
                  const Execution& execution, Findings& findings);

}  // namespace quadrille
