// SPDX-License-Identifier: BSD-3-Clause
// Which of a communicator's processes takes which place in a grid or graph, so that its exchanges
// load the network least. A pure function of its arguments, the same on every run: fixed candidates
// (along the network's walk in the orders of the grid, and the graph divided by the network's
// tree), the best of them bettered by exchanging pairs. Never worse than to leave the ranks alone.
//
// Idea of mapping a ring by subnets: B. Lowekamp, A. Beguelin, ECO: Efficient Collective Operations
// for Communication on Heterogeneous Networks, IPPS 1996, doi:10.1109/IPPS.1996.508087.
#pragma once

#include <optional>
#include <vector>

#include "mapping/placement.h"

namespace quadrille {

struct RankMapping {
  std::vector<Rank> old_rank;  // [ranks], by new rank; the identity where nothing is gained
  TrafficCost before;
  TrafficCost after;

  bool gains() const { return after < before; }
};

// `places`: where the old ranks are. `grid`: what `graph` was made of, if it was one.
// Ranks of `graph` without neighbours may be anywhere; where new ranks beyond a grid are to be left
// out, those left out are the last.
// REQUIRES: as many ranks in `graph` as in `places`; segments of `places` are nodes of `tree`.
RankMapping map_ranks(const CommunicationGraph& graph, const std::optional<Grid>& grid,
                      const TopologyView& places, const NetworkTree& tree);

// Whether any order of ranks could be better than another: not where all are on one host, nor one
// on each host of a single segment.
bool order_matters(const TopologyView& places);

}  // namespace quadrille
