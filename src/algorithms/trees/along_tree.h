// SPDX-License-Identifier: BSD-3-Clause
// The pieces that algorithms over trees are made of: one rank's steps that move a piece of data
// down a tree, combine a piece up it, or wait for all below. A flat algorithm is such a piece on a
// tree over all ranks, a hierarchical one on trees over hosts and segments.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "algorithms/trees/place_in_tree.h"
#include "algorithms/trees/slot_ring.h"
#include "schedule/builder.h"
#include "schedule/shape.h"

namespace quadrille {

// Receives `data` from the parent - the root has it - and passes it on to the children. Nothing for
// a length of 0.
void pass_down(ScheduleBuilder& builder, const PlaceInTree& place, const Region& data);

// Combines a vector up a tree, piece by piece. Each rank's own contribution stands to the left of
// what its children send, last children first: where every subtree is a range of consecutive
// ranks that begins with its top, and later children have lower ranks, rank order is kept.
class CombineUp {
 public:
  // Where a rank's contribution lies, and where its subtree's sum is wanted: that may be the same
  // place, or one of length 0 where the sum need not stay. The contribution is not written to
  // unless it is the target.
  struct Places {
    Region own;
    Region target;
  };

  // Borrows all. REQUIRES: pieces >= 1.
  CombineUp(ScheduleBuilder& builder, const PlaceInTree& place, Places places,
            std::uint64_t pieces);

  // Appends the steps of piece `index` and sends the sum to the parent, if there is one. At the
  // root it is put into the target. Returns where the sum lies; pieces come in ascending order.
  Region combine(std::uint64_t index);

 private:
  std::uint64_t slots() const;

  ScheduleBuilder& builder_;
  const PlaceInTree& place_;
  const Places places_;
  const std::uint64_t pieces_;
  const bool ends_in_target_;  // the last sum is made where it is wanted
  SlotRing ring_;
};

// Waits until all below have come and tells the parent so. Returns their arrivals, last children
// first.
std::vector<StepIndex> arrive(ScheduleBuilder& builder, const PlaceInTree& place);
// Waits for the parent's release and releases those below, who have come by `arrivals`, but for
// children that are not to be told: `releases(child)`.
void release(ScheduleBuilder& builder, const PlaceInTree& place,
             const std::vector<StepIndex>& arrivals, const std::function<bool(Rank)>& releases);
// Both.
void arrive_and_release(ScheduleBuilder& builder, const PlaceInTree& place);

// A whole broadcast, reduction or both over one tree, in `pieces` pieces one behind the other.
// `place` is the rank's in a tree whose root is `top`; of a reduction the root of the call gets the
// result from `top` if that is another.
Schedule bcast_over(const PlaceInTree& place, const Shape& shape, std::uint64_t pieces);
Schedule reduce_over(const PlaceInTree& place, const Shape& shape, Rank rank, Rank top,
                     std::uint64_t pieces);
Schedule allreduce_over(const PlaceInTree& place, const Shape& shape, Rank rank,
                        std::uint64_t pieces);

}  // namespace quadrille
