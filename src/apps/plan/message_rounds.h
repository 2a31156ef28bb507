// SPDX-License-Identifier: BSD-3-Clause
// The rounds of a call: messages of one round may be under way together, for the longest chain of
// messages that each has to wait for is equally long. Requests without data count as messages.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/check/whole_call.h"

namespace quadrille::plan {

// Round of each step's message, from 0; of copies and reductions, how many messages were before.
// [steps]. REQUIRES: the schedules pass check().
std::vector<std::uint32_t> message_rounds(const WholeCall& call);

}  // namespace quadrille::plan
