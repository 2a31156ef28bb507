// SPDX-License-Identifier: BSD-3-Clause
// A schedule with what its execution needs beside it, computed once and kept with the plan: who
// waits for whom, and the order of messages per peer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedule/schedule.h"

namespace quadrille {

class PreparedSchedule {
 public:
  explicit PreparedSchedule(Schedule schedule);

  const Schedule& schedule() const { return schedule_; }

  // Steps that wait for `step` to complete.
  std::span<const StepIndex> dependents_of(StepIndex step) const;
  // The step whose start has to wait for the start of `step`: the next message to, or from, the
  // same peer; the next group step.
  StepIndex next_in_order(StepIndex step) const { return next_in_order_[step]; }
  // How many completions and starts a step waits for.
  std::uint32_t waits_for(StepIndex step) const { return waits_for_[step]; }
  // The most messages and group steps that can be under way at once.
  std::size_t messages() const { return messages_; }
  // Whether this rank has several messages to, or from, the same peer, or several group steps.
  bool has_message_after_message() const { return follows_another_; }
  // How many ranks are roots of group steps; at least 1.
  std::uint32_t group_roots() const { return group_roots_; }

  static constexpr StepIndex none = 0xffffffffU;

 private:
  Schedule schedule_;
  std::vector<StepIndex> dependents_;
  std::vector<std::uint32_t> first_dependent_;  // [steps + 1]
  std::vector<StepIndex> next_in_order_;
  std::vector<std::uint32_t> waits_for_;
  std::size_t messages_ = 0;
  std::uint32_t group_roots_ = 1;
  bool follows_another_ = false;
};

// A call that goes on while others are made keeps its own.
using SharedSchedule = std::shared_ptr<const PreparedSchedule>;

}  // namespace quadrille
