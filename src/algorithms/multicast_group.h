// SPDX-License-Identifier: BSD-3-Clause
// One rank of each host, which hear what one of them sends to all at once and pass it on inside
// their hosts.
#pragma once

#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/place_in_tree.h"
#include "schedule/builder.h"

namespace quadrille {

class MulticastGroup {
 public:
  // Of the parameter `host`; borrows the input. On its own host `member` is in the group, elsewhere
  // the lowest rank is.
  MulticastGroup(const GeneratorInput& input, Rank member);

  const std::vector<Rank>& members() const { return members_; }  // ascending
  // Who of the members is on this rank's host.
  Rank own_member() const { return own_member_; }

  // The steps that bring `data` from member `from` to this rank and on; nothing for a length of 0.
  void bcast(ScheduleBuilder& builder, const Region& data, Rank from) const;
  // The steps by which member `from`, once it has seen `arrivals`, its own steps, tells all ranks
  // of other hosts so. REQUIRES: view.has_multicast; two members.
  void release_other_hosts(ScheduleBuilder& builder, Rank from,
                           const std::vector<StepIndex>& arrivals) const;

 private:
  const GeneratorInput& input_;
  std::vector<Rank> members_;
  Rank own_member_ = 0;
  PlaceInTree on_host_;
};

}  // namespace quadrille
