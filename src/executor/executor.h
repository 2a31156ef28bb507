// SPDX-License-Identifier: BSD-3-Clause
// Walks one rank's schedule over a transport: every step starts as soon as what it waits for is
// done, so independent steps overlap and large messages flow in pieces. The executor knows no
// collective and no MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "executor/transport.h"
#include "executor/waiting.h"
#include "schedule/prepared_schedule.h"

namespace quadrille {

// The memory that a call's symbolic buffers stand for, and the operations on its elements.
struct CallMemory {
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::byte* scratch = nullptr;
  std::int64_t element_stride = 1;  // bytes from one element to the next
  // into = from, and into = from op into, for `length` elements.
  std::function<void(const std::byte* from, std::byte* into, std::uint64_t length)> copy;
  std::function<void(const std::byte* from, std::byte* into, std::uint64_t length)> reduce;
};

struct WaitingRules {
  WaitingMode mode = WaitingMode::automatic;
  Nanoseconds reports_after{};  // 0: never
  // Called once per call, with the ranks whose messages are missing.
  std::function<void(const std::vector<Rank>& peers)> report;
};

// Of a step, by the monotonic clock as it was looked at last: whenever something had come, and
// after work of its own.
struct StepSpan {
  Nanoseconds start{};
  Nanoseconds end{};
};

// Reused between calls so that a call allocates nothing once it has seen its largest schedule.
// REQUIRES: one thread at a time.
class Executor {
 public:
  // Returns when every step is complete; an error of the transport ends the walk at once. `times`,
  // where wanted, gets an element for each step.
  Result<bool> run(const PreparedSchedule& prepared, const CallMemory& memory, Transport& transport,
                   const WaitingRules& rules, std::vector<StepSpan>* times = nullptr);

 private:
  class Walk;
  std::vector<std::uint32_t> waits_for_;
  std::vector<StepIndex> ready_;
  std::vector<StepIndex> completed_;
};

}  // namespace quadrille
