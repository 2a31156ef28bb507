// SPDX-License-Identifier: BSD-3-Clause
// Steps are taken as soon as all that they wait for are done (Kahn, CACM 5, 1962,
// doi:10.1145/368996.369025).
#include "apps/plan/message_rounds.h"

#include <algorithm>

namespace quadrille::plan {
namespace {

class Rounds {
 public:
  explicit Rounds(const WholeCall& call)
      : call_(call), after_(call.size()), waits_(call.size(), 0), before_(call.size(), 0) {
    for (GlobalStep step = 0; step < call_.size(); ++step) {
      const Rank rank = call_.rank_of(step);
      for (const StepIndex dependency : call_.schedule(rank).dependencies_of(call_[step]))
        add(call_.first(rank) + dependency, step);
      if (call_[step].kind == StepKind::send) add(step, call_.other_end(step));
      if (!call_.is_group(step) || rank != call_[step].peer) continue;
      call_.for_each_message_of_meeting(step,
                                        [this](GlobalStep from, GlobalStep to) { add(from, to); });
    }
  }

  std::vector<std::uint32_t> run() {
    std::vector<GlobalStep> ready;
    for (GlobalStep step = 0; step < call_.size(); ++step) {
      if (waits_[step] == 0) ready.push_back(step);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      for (const GlobalStep later : after_[ready[i]]) {
        before_[later] = std::max(before_[later], chain_behind(ready[i], later));
        if (--waits_[later] == 0) ready.push_back(later);
      }
    }
    return before_;
  }

 private:
  void add(GlobalStep earlier, GlobalStep later) {
    after_[earlier].push_back(later);
    ++waits_[later];
  }

  // Sending and receipt are one message: it counts for what waits for one of them at its rank.
  std::uint32_t chain_behind(GlobalStep earlier, GlobalStep later) const {
    const bool same_rank = call_.rank_of(earlier) == call_.rank_of(later);
    return before_[earlier] + (same_rank && has_peer(call_[earlier].kind) ? 1U : 0U);
  }

  const WholeCall& call_;
  std::vector<std::vector<GlobalStep>> after_;  // [steps]
  std::vector<std::uint32_t> waits_;            // [steps], for how many others
  std::vector<std::uint32_t> before_;           // [steps], messages in the longest chain
};

}  // namespace

std::vector<std::uint32_t> message_rounds(const WholeCall& call) { return Rounds(call).run(); }

}  // namespace quadrille::plan
