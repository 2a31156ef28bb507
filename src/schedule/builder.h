// SPDX-License-Identifier: BSD-3-Clause
// Builds one rank's schedule in program order. Dependencies that the data need follow from the
// regions that the steps touch; an algorithm adds only those that pace it. A dependency that
// follows from the others is left out, so that each one that stands in a schedule is necessary.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "schedule/schedule.h"
#include "schedule/shape.h"

namespace quadrille {

// Earlier steps to wait for, as a list in braces or a vector. Lives no longer than the call it is
// an argument of.
class After {
 public:
  After() = default;
  After(std::initializer_list<StepIndex> steps)  // NOLINT(google-explicit-constructor)
      : steps_(steps.begin(), steps.size()) {}
  After(const std::vector<StepIndex>& steps)
      : steps_(steps) {}  // NOLINT(google-explicit-constructor)
  auto begin() const { return steps_.begin(); }
  auto end() const { return steps_.end(); }

 private:
  std::span<const StepIndex> steps_;
};

class ScheduleBuilder {
 public:
  ScheduleBuilder();
  ~ScheduleBuilder();
  ScheduleBuilder(const ScheduleBuilder&) = delete;
  ScheduleBuilder& operator=(const ScheduleBuilder&) = delete;

  // Reserves `length` elements of scratch.
  Region scratch(std::uint64_t length);

  // Steps of data. `after` lists earlier steps to wait for beyond what the data need. A region of
  // length 0 is a message without data for send and receive; copies and reductions of length 0 are
  // left out (their index is that of the last step they would have depended on, or no_step).
  StepIndex send(Rank peer, Region from, After after = {});
  StepIndex receive(Rank peer, Region into, After after = {});
  StepIndex copy(Region from, Region into, After after = {});
  StepIndex reduce(Region from, Region into, After after = {});

  // Messages without data that order the steps of two ranks.
  StepIndex send_ready(Rank peer, After after = {});
  StepIndex receive_ready(Rank peer, After after = {});

  // Group steps; nothing for a length of 0. `group` is the same each time: ascending, with this
  // rank. A broadcast's `data` are read at the root and written elsewhere; of a reduction `into` is
  // empty elsewhere.
  StepIndex group_bcast(std::span<const Rank> group, Rank root, bool is_root, Region data);
  // The root tells all others that it has come, after `after`. REQUIRES: use_wire() or
  // use_host_memory().
  StepIndex group_ready(std::span<const Rank> group, Rank root, After after);
  StepIndex group_reduce(std::span<const Rank> group, Rank root, Region from, Region into);
  // All others tell the root that they have come. REQUIRES: use_host_memory().
  StepIndex group_arrival(std::span<const Rank> group, Rank root);

  // See Schedule.
  void use_wire();
  void use_host_memory();

  // What this schedule's pacing guarantees; see Schedule.
  void promise_most_incoming(std::uint32_t messages);
  void promise_most_ahead(std::uint32_t messages);

  // Entries of `after` that are no_step are ignored.
  static constexpr StepIndex no_step = 0xffffffffU;

  Schedule build();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace quadrille
