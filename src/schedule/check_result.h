// SPDX-License-Identifier: BSD-3-Clause
// The postcondition of each collective: what has to lie in each rank's receive buffer after the
// call.
#pragma once

#include "schedule/execution.h"
#include "schedule/finding.h"
#include "schedule/shape.h"

namespace quadrille {

// REQUIRES: `execution` ran without findings.
void check_result(const Shape& shape, const Execution& execution, Findings& findings);

}  // namespace quadrille
