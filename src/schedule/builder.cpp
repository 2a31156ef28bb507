// SPDX-License-Identifier: BSD-3-Clause
// Dependencies from accesses, reduced transitively while the schedule grows. Whether an earlier
// step is implied by a later one is searched backwards only as far as the earliest candidate, so
// the cost is that of the span of list positions that a step's dependencies reach over.
#include "schedule/builder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/check/access_map.h"

namespace quadrille {

class ScheduleBuilder::State {
 public:
  // `tells`: it is a step also where it moves nothing.
  StepIndex add(Step step, After after, bool tells) {
    candidates_.clear();
    for (const StepIndex earlier : after) {
      if (earlier != no_step) candidates_.push_back(earlier);
    }
    if (!tells && step.from.length == 0 && step.into.length == 0) {
      const auto latest = std::max_element(candidates_.begin(), candidates_.end());
      return latest == candidates_.end() ? no_step : *latest;
    }
    const auto index = static_cast<StepIndex>(schedule.steps.size());
    accesses_.record(index, step, candidates_);
    step.first_dependency = static_cast<std::uint32_t>(schedule.dependencies.size());
    keep_necessary_dependencies();
    step.dependency_count =
        static_cast<std::uint32_t>(schedule.dependencies.size()) - step.first_dependency;
    schedule.steps.push_back(step);
    reached_by_.push_back(no_step);
    return index;
  }

  Schedule schedule;

 private:
  // Appends to the schedule those candidates that no other candidate depends on, in ascending
  // order.
  void keep_necessary_dependencies() {
    std::sort(candidates_.begin(), candidates_.end(), std::greater<>());
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    const auto first = static_cast<std::ptrdiff_t>(schedule.dependencies.size());
    const auto search = static_cast<StepIndex>(schedule.steps.size());
    for (const StepIndex candidate : candidates_) {
      if (reached_by_[candidate] == search) continue;
      schedule.dependencies.push_back(candidate);
      if (candidate != candidates_.back()) mark_predecessors(candidate, candidates_.back(), search);
    }
    std::reverse(schedule.dependencies.begin() + first, schedule.dependencies.end());
  }

  // Marks with `search` all steps from `earliest` on that `from` depends on.
  void mark_predecessors(StepIndex from, StepIndex earliest, StepIndex search) {
    stack_.assign(1, from);
    while (!stack_.empty()) {
      const Step& step = schedule.steps[stack_.back()];
      stack_.pop_back();
      for (const StepIndex earlier : schedule.dependencies_of(step)) {
        if (earlier < earliest || reached_by_[earlier] == search) continue;
        reached_by_[earlier] = search;
        stack_.push_back(earlier);
      }
    }
  }

  AccessMap accesses_;
  std::vector<StepIndex> candidates_;
  std::vector<StepIndex> reached_by_;  // for each step, the last step whose search met it
  std::vector<StepIndex> stack_;
};

ScheduleBuilder::ScheduleBuilder() : state_(std::make_unique<State>()) {}
ScheduleBuilder::~ScheduleBuilder() = default;

Region ScheduleBuilder::scratch(std::uint64_t length) {
  const std::uint64_t offset = state_->schedule.scratch_length;
  state_->schedule.scratch_length += length;
  return {Buffer::scratch, offset, length};
}

StepIndex ScheduleBuilder::send(Rank peer, Region from, After after) {
  return state_->add({.kind = StepKind::send, .peer = peer, .from = from, .into = {}}, after, true);
}

StepIndex ScheduleBuilder::receive(Rank peer, Region into, After after) {
  return state_->add({.kind = StepKind::receive, .peer = peer, .from = {}, .into = into}, after,
                     true);
}

StepIndex ScheduleBuilder::copy(Region from, Region into, After after) {
  return state_->add({.kind = StepKind::copy, .from = from, .into = into}, after, false);
}

StepIndex ScheduleBuilder::reduce(Region from, Region into, After after) {
  return state_->add({.kind = StepKind::reduce, .from = from, .into = into}, after, false);
}

StepIndex ScheduleBuilder::send_ready(Rank peer, After after) {
  return send(peer, Region{}, after);
}

StepIndex ScheduleBuilder::receive_ready(Rank peer, After after) {
  return receive(peer, Region{}, after);
}

StepIndex ScheduleBuilder::group_bcast(std::span<const Rank> group, Rank root, bool is_root,
                                       Region data) {
  state_->schedule.group.assign(group.begin(), group.end());
  Step step{.kind = StepKind::group_bcast, .peer = root, .from = {}, .into = {}};
  (is_root ? step.from : step.into) = data;
  return state_->add(step, {}, false);
}

StepIndex ScheduleBuilder::group_ready(std::span<const Rank> group, Rank root, After after) {
  state_->schedule.group.assign(group.begin(), group.end());
  return state_->add({.kind = StepKind::group_bcast, .peer = root, .from = {}, .into = {}}, after,
                     true);
}

StepIndex ScheduleBuilder::group_reduce(std::span<const Rank> group, Rank root, Region from,
                                        Region into) {
  state_->schedule.group.assign(group.begin(), group.end());
  return state_->add({.kind = StepKind::group_reduce, .peer = root, .from = from, .into = into}, {},
                     false);
}

StepIndex ScheduleBuilder::group_arrival(std::span<const Rank> group, Rank root) {
  state_->schedule.group.assign(group.begin(), group.end());
  return state_->add({.kind = StepKind::group_reduce, .peer = root, .from = {}, .into = {}}, {},
                     true);
}

void ScheduleBuilder::use_wire() { state_->schedule.over_wire = true; }

void ScheduleBuilder::use_host_memory() { state_->schedule.in_host_memory = true; }

void ScheduleBuilder::promise_most_incoming(std::uint32_t messages) {
  state_->schedule.most_incoming = messages;
}

void ScheduleBuilder::promise_most_ahead(std::uint32_t messages) {
  state_->schedule.most_ahead = messages;
}

Schedule ScheduleBuilder::build() {
  return std::exchange(state_, std::make_unique<State>())->schedule;
}

}  // namespace quadrille
