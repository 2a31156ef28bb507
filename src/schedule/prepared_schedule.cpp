// SPDX-License-Identifier: BSD-3-Clause
// Turns the dependency lists of a schedule around and chains the messages of each peer.
#include "schedule/prepared_schedule.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace quadrille {

PreparedSchedule::PreparedSchedule(Schedule schedule) : schedule_(std::move(schedule)) {
  const std::size_t steps = schedule_.steps.size();
  first_dependent_.assign(steps + 1, 0);
  next_in_order_.assign(steps, none);
  waits_for_.assign(steps, 0);

  for (const StepIndex dependency : schedule_.dependencies) ++first_dependent_[dependency + 1];
  for (std::size_t i = 0; i < steps; ++i) first_dependent_[i + 1] += first_dependent_[i];
  dependents_.resize(schedule_.dependencies.size());
  std::vector<std::uint32_t> filled(first_dependent_.begin(), first_dependent_.end());

  constexpr std::int64_t of_group = -1;
  std::unordered_map<std::int64_t, StepIndex> last;  // by peer and direction
  std::set<Rank> roots;
  for (StepIndex i = 0; i < steps; ++i) {
    const Step& step = schedule_.steps[i];
    for (const StepIndex dependency : schedule_.dependencies_of(step)) {
      dependents_[filled[dependency]++] = i;
    }
    waits_for_[i] = step.dependency_count;
    if (!has_peer(step.kind)) continue;
    ++messages_;
    if (is_group(step.kind)) roots.insert(step.peer);
    const std::int64_t key =
        is_group(step.kind) ? of_group
                            : std::int64_t{step.peer} * 2 + (step.kind == StepKind::send ? 0 : 1);
    const auto [entry, first] = last.try_emplace(key, i);
    if (first) continue;
    follows_another_ = true;
    next_in_order_[entry->second] = i;
    ++waits_for_[i];
    entry->second = i;
  }
  group_roots_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(roots.size()));
}

std::span<const StepIndex> PreparedSchedule::dependents_of(StepIndex step) const {
  return {dependents_.data() + first_dependent_[step],
          dependents_.data() + first_dependent_[step + 1]};
}

}  // namespace quadrille
