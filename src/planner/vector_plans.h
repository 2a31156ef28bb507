// SPDX-License-Identifier: BSD-3-Clause
// The latest schedules of vector collectives on a communicator, by candidate, shape and this rank's
// counts. Programs repeat their vector collectives; the planner's other store knows shapes only.
#pragma once

#include <list>

#include "network/topology_view.h"
#include "planner/candidate.h"
#include "schedule/blocks.h"
#include "schedule/prepared_schedule.h"
#include "schedule/shape.h"

namespace quadrille {

class VectorPlans {
 public:
  // Of `rank`. The reference is valid until the next call. REQUIRES: candidate.algorithm,
  // has_counts(shape.collective); `view` and `rank` are the same each time.
  const SharedSchedule& schedule(const Shape& shape, const Candidate& candidate,
                                 const TopologyView& view, Rank rank, StoredCounts counts);
  // Before the view changes, or a candidate's memory may become another one's.
  void forget() { plans_.clear(); }

 private:
  struct Plan {
    const Candidate* candidate;
    Shape shape;
    StoredCounts counts;
    SharedSchedule prepared;
  };

  std::list<Plan> plans_;  // latest first
};

}  // namespace quadrille
