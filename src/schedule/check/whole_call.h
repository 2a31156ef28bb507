// SPDX-License-Identifier: BSD-3-Clause
// All ranks' schedules of one call as one graph: steps numbered through, messages matched to their
// other ends. Borrows the schedules, which have to outlive it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/check/finding.h"
#include "schedule/schedule.h"

namespace quadrille {

// A step of any rank: the rank's first number plus the step's index.
using GlobalStep = std::uint32_t;

class WholeCall {
 public:
  static constexpr GlobalStep none = 0xffffffffU;

  // REQUIRES: peers lie in [0, schedules.size()), dependencies point to earlier steps.
  explicit WholeCall(std::span<const Schedule> schedules);

  Rank ranks() const { return static_cast<Rank>(schedules_.size()); }
  GlobalStep size() const { return static_cast<GlobalStep>(rank_of_.size()); }
  const Schedule& schedule(Rank rank) const { return schedules_[static_cast<std::size_t>(rank)]; }
  GlobalStep first(Rank rank) const { return first_[static_cast<std::size_t>(rank)]; }
  Rank rank_of(GlobalStep step) const { return rank_of_[step]; }
  StepIndex index_of(GlobalStep step) const { return step - first(rank_of(step)); }
  const Step& operator[](GlobalStep step) const {
    return schedule(rank_of(step)).steps[index_of(step)];
  }
  bool is_message(GlobalStep step) const { return quadrille::is_message((*this)[step].kind); }
  bool is_group(GlobalStep step) const { return quadrille::is_group((*this)[step].kind); }
  bool carries_data(GlobalStep step) const;

  // The other end of a message; none where there is none.
  GlobalStep other_end(GlobalStep step) const { return other_end_[step]; }
  // The message to or from the same peer, in the same direction, that has to start before; and the
  // one after. Of group steps, the group step before and after.
  GlobalStep message_before(GlobalStep step) const { return message_before_[step]; }
  GlobalStep message_after(GlobalStep step) const { return message_after_[step]; }

  // All ranks' steps that are one group step, by ascending rank.
  std::span<const GlobalStep> meeting_of(GlobalStep step) const {
    return meetings_[meeting_index_[step]];
  }
  // That of its root.
  GlobalStep root_of(GlobalStep step) const {
    return *std::ranges::find(meeting_of(step), (*this)[step].peer,
                              [this](GlobalStep one) { return rank_of(one); });
  }
  // Visits the messages that the group step stands for, from which step to which: between its root
  // and each other rank.
  template <typename Visit>
  void for_each_message_of_meeting(GlobalStep step, const Visit& visit) const {
    const GlobalStep root = root_of(step);
    const bool from_root = (*this)[step].kind == StepKind::group_bcast;
    for (const GlobalStep other : meeting_of(step)) {
      if (other != root) visit(from_root ? root : other, from_root ? other : root);
    }
  }
  std::uint32_t meeting_index(GlobalStep step) const { return meeting_index_[step]; }
  std::size_t meetings() const { return meetings_.size(); }

  // Messages without other end, or of other length there; group steps that are not alike on all of
  // the group.
  void find_unmatched(Findings& findings) const;

 private:
  void match();
  void match_group_steps();
  void find_unlike(GlobalStep step, Findings& findings) const;

  std::span<const Schedule> schedules_;
  std::vector<GlobalStep> first_;  // [ranks + 1]
  std::vector<Rank> rank_of_;
  std::vector<GlobalStep> other_end_;
  std::vector<GlobalStep> message_before_;
  std::vector<GlobalStep> message_after_;
  std::vector<std::vector<GlobalStep>> meetings_;
  std::vector<std::uint32_t> meeting_index_;  // [steps], of group steps
};

}  // namespace quadrille
