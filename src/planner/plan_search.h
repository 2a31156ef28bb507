// SPDX-License-Identifier: BSD-3-Clause
// Finds the cheapest algorithms for one shape of calls on a measured network.
//
// All candidates are estimated from what messages they send (search_space.h). Then the best of each
// algorithm is played through, and further ones that may be better, in the order of their
// estimates. A search ends when it has played as many steps as it may; what was not played counts
// with its estimate, raised as far as those that were played lay above theirs.
//
// A pure function of what all ranks know, in integers: all ranks find the same.
#pragma once

#include <cstdint>
#include <vector>

#include "network/network_costs.h"
#include "network/topology_view.h"
#include "planner/candidate.h"
#include "planner/cost/cost.h"
#include "schedule/shape.h"

namespace quadrille {

// Steps that one search may play through, of all ranks and candidates together: about half a
// millisecond for each thousand. Of many ranks playing more finds little that is better
// (docs/decisions/23_choosing_in_a_millisecond.md).
constexpr std::uint64_t most_played_steps(Rank ranks) { return ranks <= 32 ? 6'000 : 1'500; }
// And beyond these, of each candidate whose messages are not described.
inline constexpr std::uint64_t kMostOfUndescribed = 6'000;

struct CostedCandidate {
  Candidate candidate;
  CostBreakdown cost;
};

// The cheapest of each algorithm, cheapest first; of equals the lower algorithm id. Empty where
// nothing can be costed.
// REQUIRES: view and costs are those of one communicator of shape.ranks ranks.
std::vector<CostedCandidate> cost_candidates(const Shape& shape, const TopologyView& view,
                                             const NetworkCosts& costs);

// What one candidate costs, played through however large it is.
// REQUIRES: as above; candidate.algorithm, and it supports the shape.
CostBreakdown cost_of_candidate(const Candidate& candidate, const Shape& shape,
                                const TopologyView& view, const NetworkCosts& costs);

}  // namespace quadrille
