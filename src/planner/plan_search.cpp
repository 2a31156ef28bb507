// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "planner/search_space.h"
#include "planner/wire_candidates.h"

namespace quadrille {
namespace {

// Algorithms whose estimate is more than so many times the least one are not played.
constexpr std::int64_t kHopeless = 3;

class PlanSearch {
 public:
  PlanSearch(const Shape& shape, const TopologyView& view, const NetworkCosts& costs)
      : shape_(shape),
        view_(view),
        costs_(costs),
        candidates_(search_space_of(shape, view, costs)),
        is_played_(candidates_.size(), false) {}

  std::vector<CostedCandidate> run() {
    play_best_of_each();
    play_what_may_be_better();
    raise_estimates();
    std::vector<CostedCandidate> found;
    for (Entry& entry : entries_) found.push_back(std::move(entry.best));
    std::ranges::stable_sort(found, [](const CostedCandidate& one, const CostedCandidate& other) {
      return one.cost.total != other.cost.total
                 ? one.cost.total < other.cost.total
                 : one.candidate.algorithm < other.candidate.algorithm;
    });
    return found;
  }

 private:
  // Of one algorithm.
  struct Entry {
    CostedCandidate best;
    bool is_played = false;  // else estimated
  };

  Entry* entry_of(const Algorithm* algorithm) {
    const auto found = std::ranges::find_if(
        entries_, [&](const Entry& entry) { return entry.best.candidate.algorithm == algorithm; });
    return found == entries_.end() ? nullptr : &*found;
  }

  void play_best_of_each() {
    const auto least = std::ranges::find_if(candidates_, &EstimatedCandidate::is_estimated);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const EstimatedCandidate& one = candidates_[i];
      if (one.is_estimated && entry_of(one.candidate.algorithm) != nullptr) continue;
      const bool is_hopeless =
          one.is_estimated && one.estimate.total.value > kHopeless * least->estimate.total.value;
      if (!is_hopeless && play(i)) continue;
      if (one.is_estimated) entries_.push_back({{one.candidate, one.estimate}, false});
    }
  }

  // Estimates are at most a third above what playing finds.
  void play_what_may_be_better() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (is_played_[i] || !candidates_[i].is_estimated) continue;
      const auto best = best_played();
      if (!best || candidates_[i].estimate.total.value / 4 >= best->value / 3 || !play(i)) return;
    }
  }

  // Of those whose messages have one receiver: what is best where multicast does not keep what it
  // promises is to be found too.
  std::optional<Nanoseconds> best_played() const {
    std::optional<Nanoseconds> best;
    for (const Entry& entry : entries_) {
      if (needs_multicast(*entry.best.candidate.algorithm)) continue;
      if (entry.is_played && (!best || entry.best.cost.total < *best)) best = entry.best.cost.total;
    }
    return best;
  }

  // False where it has too many steps.
  bool play(std::size_t index) {
    const EstimatedCandidate& one = candidates_[index];
    // What is not described is known by being played alone.
    const std::uint64_t most = one.is_estimated ? steps_left_ : kMostOfUndescribed;
    const auto schedules = schedules_within(one.candidate, shape_, view_, most);
    if (!schedules) return false;
    for (const Schedule& schedule : *schedules) {
      if (one.is_estimated) steps_left_ -= schedule.steps.size();
    }
    is_played_[index] = true;
    CostedCandidate costed{one.candidate, cost_of(*schedules, shape_.element_bytes, costs_)};
    if (one.is_estimated) {
      played_ns_ += costed.cost.total.value;
      estimated_ns_ += one.estimate.total.value;
    }
    Entry* const entry = entry_of(one.candidate.algorithm);
    if (entry == nullptr) {
      entries_.push_back({std::move(costed), true});
    } else if (!entry->is_played || costed.cost.total < entry->best.cost.total) {
      *entry = {std::move(costed), true};
    }
    return true;
  }

  void raise_estimates() {
    if (estimated_ns_ <= 0 || played_ns_ <= estimated_ns_) return;
    const std::int64_t permille = played_ns_ / std::max<std::int64_t>(1, estimated_ns_ / 1000);
    for (Entry& entry : entries_) {
      Nanoseconds& total = entry.best.cost.total;
      if (!entry.is_played) total += Nanoseconds{total.value / 1000 * (permille - 1000)};
    }
  }

  const Shape& shape_;
  const TopologyView& view_;
  const NetworkCosts& costs_;
  const std::vector<EstimatedCandidate> candidates_;  // by ascending estimate
  std::vector<bool> is_played_;                       // [candidates]
  std::vector<Entry> entries_;
  std::uint64_t steps_left_ = most_played_steps(shape_.ranks);
  // Of those that are described and were played.
  std::int64_t played_ns_ = 0;
  std::int64_t estimated_ns_ = 0;
};

}  // namespace

CostBreakdown cost_of_candidate(const Candidate& candidate, const Shape& shape,
                                const TopologyView& view, const NetworkCosts& costs) {
  constexpr auto no_bound = std::numeric_limits<std::uint64_t>::max();
  return cost_of(*schedules_within(candidate, shape, view, no_bound), shape.element_bytes, costs);
}

std::vector<CostedCandidate> cost_candidates(const Shape& shape, const TopologyView& view,
                                             const NetworkCosts& costs) {
  Shape on_all = shape;
  on_all.in_place = false;  // the one thing that ranks may differ in
  return PlanSearch(on_all, view, costs).run();
}

}  // namespace quadrille
