// SPDX-License-Identifier: BSD-3-Clause
// What a rank did in one executed call, for traces: its steps with the times at which they started
// and were complete. Of a schedule with many steps those of one kind with one peer are put
// together, so that a trace does not grow with the pieces that messages are cut into.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "executor/executor.h"
#include "executor/transport.h"
#include "schedule/schedule.h"

namespace quadrille {

struct CallPhase {
  StepKind kind = StepKind::copy;
  Carrier carrier = Carrier::own_memory;
  Rank peer = -1;
  std::uint32_t steps = 1;
  Bytes bytes{};  // of all its steps
  Nanoseconds start{};
  Nanoseconds end{};
};

// Up to so many steps have a phase each.
inline constexpr std::size_t most_single_steps = 32;

// REQUIRES: `times` has an element for each step of `schedule`, which `transport` has carried out.
std::vector<CallPhase> phases_of(const Schedule& schedule, std::span<const StepSpan> times,
                                 const Transport& transport, std::size_t element_bytes);

}  // namespace quadrille
