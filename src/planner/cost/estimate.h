// SPDX-License-Identifier: BSD-3-Clause
// What a candidate takes at about the least, without its schedules: what a search ranks by before
// it plays any through. From the algorithm's trees (tree_traffic.h) or phases (traffic.h).
//
// Thread-compatible: keeps the trees it looked at last, for candidates that differ in their pieces
// alone.
#pragma once

#include <optional>
#include <string>

#include "network/network_costs.h"
#include "network/topology_view.h"
#include "planner/candidate.h"
#include "planner/cost/cost.h"
#include "planner/cost/tree_cost.h"
#include "schedule/shape.h"

namespace quadrille {

class Estimator {
 public:
  // Borrows all. REQUIRES: view and costs are those of one communicator of shape.ranks ranks.
  Estimator(const Shape& shape, const TopologyView& view, const NetworkCosts& costs)
      : shape_(shape), view_(view), costs_(costs) {}

  // Nothing where the algorithm's messages are not described.
  // REQUIRES: candidate.algorithm, and it supports the shape.
  std::optional<CostBreakdown> cost(const Candidate& candidate);

 private:
  struct LookedAt {
    std::string name;  // of the candidate, its data in one piece
    TreeTraffic traffic;
    TreeCost cost;
  };

  CostBreakdown cost_along_trees(const Candidate& candidate);

  const Shape& shape_;
  const TopologyView& view_;
  const NetworkCosts& costs_;
  std::optional<LookedAt> trees_;
};

}  // namespace quadrille
