// SPDX-License-Identifier: BSD-3-Clause
// The latest schedules of v-calls on a communicator, by candidate, shape and this rank's counts.
// Programs repeat their v-calls; the planner's own store knows shapes only.
#pragma once

#include <list>
#include <memory>

#include "planner/planner.h"
#include "schedule/blocks.h"

namespace quadrille {

class CountedPlans {
 public:
  explicit CountedPlans(TopologyView view, Rank rank) : view_(std::move(view)), rank_(rank) {}

  // Valid until the next call. REQUIRES: candidate.algorithm, has_counts(shape.collective).
  const PreparedSchedule& schedule(const Shape& shape, const Candidate& candidate,
                                   StoredCounts counts);

 private:
  struct Plan {
    const Candidate* candidate;
    Shape shape;
    StoredCounts counts;
    PreparedSchedule prepared;
  };

  TopologyView view_;
  Rank rank_;
  std::list<Plan> plans_;  // latest first
};

}  // namespace quadrille
