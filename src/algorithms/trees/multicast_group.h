// SPDX-License-Identifier: BSD-3-Clause
// One rank of each host, which hear what one of them sends to all at once and pass it on inside
// their hosts. Where routers stop multicast, the members of each segment are a part of their own:
// data go from part to part by messages, across each trunk at most once, and inside a part at once,
// or by messages where the segment has no multicast either.
//
//   segments 0 2 4 / 1 3 5, multicast inside both, from 2:    2 => 0, 4    4 -> 3    3 => 1, 5
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/trees/place_in_tree.h"
#include "algorithms/trees/segment_layout.h"
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
  struct Part {
    std::vector<Rank> members;  // ascending
    bool at_once = false;       // all hear what one of them sends
  };

  void divide();
  std::size_t part_of(Rank member) const;
  Rank head(std::size_t part, Rank from) const;
  Rank relay(std::size_t part, Rank from, std::size_t nth) const;
  PlaceInTree place_between_parts(Rank from) const;
  void bcast_inside(ScheduleBuilder& builder, const Region& data, Rank from) const;

  const GeneratorInput& input_;
  std::vector<Rank> members_;
  Rank own_member_ = 0;
  PlaceInTree on_host_;
  SegmentLayout layout_;     // of several parts
  std::vector<Part> parts_;  // by place in the layout
};

}  // namespace quadrille
