// SPDX-License-Identifier: BSD-3-Clause
// Races are looked for in list order: dependencies point backwards, so that list order is one order
// of execution, and two accesses that conflict are unordered exactly if no chain of dependencies
// leads from the later to the earlier.
#include "schedule/check/check_steps.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "schedule/check/access_map.h"

namespace quadrille {

namespace {

class StepCheck {
 public:
  StepCheck(const RankOfCall& of, const Schedule& schedule, Findings& findings)
      : shape_(of.shape),
        rank_(of.rank),
        user_(buffer_lengths(of.shape, of.rank, of.counts)),
        schedule_(schedule),
        findings_(findings) {}

  void run() {
    const std::size_t before = findings_.size();
    check_group();
    for (StepIndex index = 0; index < schedule_.steps.size(); ++index) check_step(index);
    if (findings_.size() == before) find_races();
  }

 private:
  void report(FindingKind kind, StepIndex index, const std::string& message) {
    findings_.push_back({kind, rank_, index, message});
  }

  void check_group() {
    const auto& group = schedule_.group;
    const bool ascends = std::ranges::adjacent_find(group, std::greater_equal<>()) == group.end();
    if (!group.empty() && (!ascends || group.front() < 0 || group.back() >= shape_.ranks))
      report(FindingKind::malformed, Finding::no_step, "the group is no ascending list of ranks");
  }

  void check_step(StepIndex index) {
    const Step& step = schedule_.steps[index];
    check_dependencies(index, step);
    if (is_message(step.kind)) {
      if (step.peer < 0 || step.peer >= shape_.ranks || step.peer == rank_) {
        report(FindingKind::malformed, index, text_of(step) + ": that is no other rank");
      }
    } else if (is_group(step.kind)) {
      check_group_step(index, step);
    } else {
      check_pair(index, step);
    }
    if (step.kind != StepKind::receive) check_bounds(index, step.from);
    if (step.kind != StepKind::send) {
      check_bounds(index, step.into);
      if (step.into.buffer == Buffer::send && step.into.length > 0) {
        report(FindingKind::writes_user_data, index, text_of(step));
      }
    }
  }

  void check_dependencies(StepIndex index, const Step& step) {
    if (std::size_t{step.first_dependency} + step.dependency_count >
        schedule_.dependencies.size()) {
      report(FindingKind::malformed, index, "its dependencies lie beyond the list of all");
      return;
    }
    for (const StepIndex earlier : schedule_.dependencies_of(step)) {
      if (earlier >= index) {
        report(FindingKind::malformed, index,
               "depends on step " + std::to_string(earlier) + ", which is no earlier one");
      }
    }
  }

  // A group's root reads and others write, or the other way round; of a reduction all read.
  void check_group_step(StepIndex index, const Step& step) {
    const auto& group = schedule_.group;
    const auto has = [&](Rank rank) { return std::ranges::binary_search(group, rank); };
    if (!has(step.peer) || !has(rank_)) {
      report(FindingKind::malformed, index, text_of(step) + ": not a root and a rank of the group");
      return;
    }
    const bool is_root = step.peer == rank_;
    const std::uint64_t length = std::max(step.from.length, step.into.length);
    if (length == 0) {
      const bool tells =
          schedule_.in_host_memory || (schedule_.over_wire && step.kind == StepKind::group_bcast);
      if (!tells)
        report(FindingKind::malformed, index,
               text_of(step) + ": tells nothing without the wire or host memory");
      return;
    }
    if (schedule_.in_host_memory && length * shape_.element_bytes > most_in_host_memory)
      report(FindingKind::malformed, index, text_of(step) + ": too long for host memory");
    if (step.kind == StepKind::group_reduce && is_root) {
      check_pair(index, step);
      return;
    }
    const bool reads = step.kind == StepKind::group_reduce || is_root;
    if ((step.from.length > 0) != reads || (step.into.length > 0) == reads)
      report(FindingKind::malformed, index, text_of(step) + ": the lengths do not fit");
  }

  void check_pair(StepIndex index, const Step& step) {
    if (step.from.length != step.into.length || step.from.length == 0) {
      report(FindingKind::malformed, index, text_of(step) + ": the lengths do not fit");
    }
    const bool overlap = step.from.buffer == step.into.buffer &&
                         step.from.offset < step.into.offset + step.into.length &&
                         step.into.offset < step.from.offset + step.from.length;
    if (overlap) report(FindingKind::malformed, index, text_of(step) + ": the regions overlap");
  }

  void check_bounds(StepIndex index, const Region& region) {
    const std::uint64_t length = region.buffer == Buffer::send      ? user_.send
                                 : region.buffer == Buffer::receive ? user_.receive
                                                                    : schedule_.scratch_length;
    if (region.length > 0 && (region.offset > length || region.length > length - region.offset)) {
      report(FindingKind::out_of_bounds, index,
             text_of(region) + " of a buffer of " + std::to_string(length) + " elements");
    }
  }

  void find_races() {
    AccessMap accesses;
    std::vector<StepIndex> conflicts;
    visited_in_.assign(schedule_.steps.size(), 0);
    for (StepIndex index = 0; index < schedule_.steps.size(); ++index) {
      conflicts.clear();
      accesses.record(index, schedule_.steps[index], conflicts);
      for (const StepIndex earlier : conflicts) {
        if (follows(index, earlier)) continue;
        report(FindingKind::race, index,
               text_of(schedule_.steps[index]) + " is in no order with step " +
                   std::to_string(earlier) + ", a " + text_of(schedule_.steps[earlier]) +
                   ", which touches the same elements");
      }
    }
  }

  // Whether a chain of dependencies leads from `later` to `earlier`.
  bool follows(StepIndex later, StepIndex earlier) {
    ++search_;
    std::vector<StepIndex> stack{later};
    while (!stack.empty()) {
      const Step& step = schedule_.steps[stack.back()];
      stack.pop_back();
      for (const StepIndex next : schedule_.dependencies_of(step)) {
        if (next == earlier) return true;
        if (next < earlier || visited_in_[next] == search_) continue;
        visited_in_[next] = search_;
        stack.push_back(next);
      }
    }
    return false;
  }

  const Shape& shape_;
  const Rank rank_;
  const BufferLengths user_;
  const Schedule& schedule_;
  Findings& findings_;
  std::uint64_t search_ = 0;
  std::vector<std::uint64_t> visited_in_;  // for each step, the last search that met it
};

}  // namespace

void check_steps(const RankOfCall& of, const Schedule& schedule, Findings& findings) {
  StepCheck(of, schedule, findings).run();
}

}  // namespace quadrille
