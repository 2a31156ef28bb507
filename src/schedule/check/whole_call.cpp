// SPDX-License-Identifier: BSD-3-Clause
// Messages match as the rules in schedule.h say: the n-th from i to j on both sides.
#include "schedule/check/whole_call.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace quadrille {

WholeCall::WholeCall(std::span<const Schedule> schedules) : schedules_(schedules) {
  GlobalStep next = 0;
  for (const Schedule& schedule : schedules) {
    first_.push_back(next);
    next += static_cast<GlobalStep>(schedule.steps.size());
  }
  first_.push_back(next);
  rank_of_.reserve(next);
  for (Rank rank = 0; rank < ranks(); ++rank) {
    rank_of_.insert(rank_of_.end(), schedule(rank).steps.size(), rank);
  }
  other_end_.assign(next, none);
  message_before_.assign(next, none);
  message_after_.assign(next, none);
  match();
  match_group_steps();
}

bool WholeCall::carries_data(GlobalStep step) const {
  const Step& what = (*this)[step];
  return (what.kind == StepKind::send && what.from.length > 0) ||
         (what.kind == StepKind::receive && what.into.length > 0);
}

void WholeCall::match() {
  struct End {
    Rank from = 0;
    Rank to = 0;
    GlobalStep step = 0;
    bool operator<(const End& other) const {
      return std::tie(from, to, step) < std::tie(other.from, other.to, other.step);
    }
  };
  std::vector<End> sends;
  std::vector<End> receives;
  for (GlobalStep step = 0; step < size(); ++step) {
    const Step& what = (*this)[step];
    if (what.kind == StepKind::send) sends.push_back({rank_of(step), what.peer, step});
    if (what.kind == StepKind::receive) receives.push_back({what.peer, rank_of(step), step});
  }
  std::sort(sends.begin(), sends.end());
  std::sort(receives.begin(), receives.end());
  const auto same_pair = [](const End& a, const End& b) {
    return a.from == b.from && a.to == b.to;
  };
  for (const std::vector<End>* ends : {&sends, &receives}) {
    for (std::size_t i = 1; i < ends->size(); ++i) {
      const End& before = (*ends)[i - 1];
      const End& after = (*ends)[i];
      if (!same_pair(before, after)) continue;
      message_before_[after.step] = before.step;
      message_after_[before.step] = after.step;
    }
  }
  for (std::size_t s = 0, r = 0; s < sends.size() && r < receives.size();) {
    if (same_pair(sends[s], receives[r])) {
      other_end_[sends[s].step] = receives[r].step;
      other_end_[receives[r].step] = sends[s].step;
      ++s;
      ++r;
    } else if (std::tie(sends[s].from, sends[s].to) < std::tie(receives[r].from, receives[r].to)) {
      ++s;
    } else {
      ++r;
    }
  }
}

// By the lowest rank of the group and the number of the step among the rank's group steps.
void WholeCall::match_group_steps() {
  meeting_index_.assign(size(), 0);
  std::map<std::pair<Rank, std::uint32_t>, std::uint32_t> found;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    if (schedule(rank).group.empty()) continue;
    std::uint32_t number = 0;
    GlobalStep before = none;
    for (GlobalStep step = first(rank); step < first(rank + 1); ++step) {
      if (!is_group(step)) continue;
      const auto [entry, fresh] = found.try_emplace({schedule(rank).group.front(), number++},
                                                    static_cast<std::uint32_t>(meetings_.size()));
      if (fresh) meetings_.emplace_back();
      meetings_[entry->second].push_back(step);
      meeting_index_[step] = entry->second;
      message_before_[step] = before;
      if (before != none) message_after_[before] = step;
      before = step;
    }
  }
}

void WholeCall::find_unlike(GlobalStep step, Findings& findings) const {
  const Step& what = (*this)[step];
  const auto& group = schedule(rank_of(step)).group;
  const auto steps = meeting_of(step);
  bool alike = steps.size() == group.size();
  for (std::size_t i = 0; alike && i < steps.size(); ++i) {
    const Step& other = (*this)[steps[i]];
    const auto length = [](const Step& one) { return std::max(one.from.length, one.into.length); };
    alike = schedule(rank_of(steps[i])).group == group && rank_of(steps[i]) == group[i] &&
            other.kind == what.kind && other.peer == what.peer && length(other) == length(what);
  }
  if (alike) return;
  findings.push_back({FindingKind::unmatched, rank_of(step), index_of(step),
                      text_of(what) + " is not the same on all ranks of its group"});
}

void WholeCall::find_unmatched(Findings& findings) const {
  for (GlobalStep step = 0; step < size(); ++step) {
    if (is_group(step)) find_unlike(step, findings);
    if (!is_message(step)) continue;
    const Step& what = (*this)[step];
    const GlobalStep other = other_end(step);
    if (other == none) {
      findings.push_back(
          {FindingKind::unmatched, rank_of(step), index_of(step),
           text_of(what) + " has no other end on rank " + std::to_string(what.peer)});
      continue;
    }
    if (what.kind != StepKind::send) continue;
    if (what.from.length != (*this)[other].into.length) {
      findings.push_back({FindingKind::unmatched, rank_of(step), index_of(step),
                          text_of(what) + " meets step " + std::to_string(index_of(other)) +
                              " there, a " + text_of((*this)[other])});
    }
  }
}

}  // namespace quadrille
