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

  // The same in turns, for whoever does other things meanwhile: begin(), then go_on() until
  // is_done(). What the arguments refer to lives as long.
  Result<bool> begin(const PreparedSchedule& prepared, const CallMemory& memory,
                     Transport& transport, std::vector<StepSpan>* times = nullptr);
  // Looks once at the transport and starts what can start; returns whether a step was complete.
  Result<bool> go_on();
  bool is_done() const { return unfinished_ == 0; }
  // Those of the messages that could move now: steps that wait for others of ours are not to blame.
  std::vector<Rank> missing_peers() const;

 private:
  Result<bool> start_ready();
  Result<bool> start(StepIndex index);
  Result<bool> start_group(StepIndex index, const Step& step);
  void complete(StepIndex index);
  void release(StepIndex index);
  void look_at_clock();
  const std::byte* readable(const Region& region) const;
  std::byte* writable(const Region& region) const;

  const PreparedSchedule* prepared_ = nullptr;
  const CallMemory* memory_ = nullptr;
  Transport* transport_ = nullptr;
  std::vector<StepSpan>* times_ = nullptr;  // null: nobody asks
  Nanoseconds now_{};
  std::size_t unfinished_ = 0;
  std::vector<std::uint32_t> waits_for_;
  std::vector<StepIndex> ready_;
  std::vector<StepIndex> completed_;
};

}  // namespace quadrille
