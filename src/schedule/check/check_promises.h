// SPDX-License-Identifier: BSD-3-Clause
// What a schedule says about time: a barrier holds, and the promises of pacing are kept - in every
// order of events that the dependencies leave open, with sends that never wait for their receives.
#pragma once

#include <span>

#include "schedule/check/execution.h"
#include "schedule/check/finding.h"
#include "schedule/check/whole_call.h"
#include "schedule/shape.h"

namespace quadrille {

// REQUIRES: `events` are those of an execution without findings.
void check_promises(const Shape& shape, const WholeCall& call, std::span<const Event> events,
                    Findings& findings);

}  // namespace quadrille
