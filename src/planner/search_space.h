// SPDX-License-Identifier: BSD-3-Clause
// The search space of one shape: the candidates that the table of algorithms has searched, each
// with an estimate of its time.
//
// Of each algorithm's parameters, those that are joined in its row are tried in all combinations;
// then those that come next, while the others stay as they were best. What an algorithm is
// estimated to take as another of its candidates does counts as the same.
#pragma once

#include <vector>

#include "network/network_costs.h"
#include "network/topology_view.h"
#include "planner/candidate.h"
#include "planner/cost/cost.h"
#include "schedule/shape.h"

namespace quadrille {

struct EstimatedCandidate {
  Candidate candidate;
  CostBreakdown estimate;  // see estimate.h
  // Whether the algorithm's messages are described; else nothing is known before it is played.
  bool is_estimated = false;
};

// By ascending estimate, those without one first; equals in the table's order.
// REQUIRES: view and costs are those of one communicator of shape.ranks ranks.
std::vector<EstimatedCandidate> search_space_of(const Shape& shape, const TopologyView& view,
                                                const NetworkCosts& costs);

}  // namespace quadrille
