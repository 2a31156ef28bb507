// SPDX-License-Identifier: BSD-3-Clause
// A communicator that does not run: ranks placed on the hosts of a model, and all that a planner
// would know of the network between them.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "network/bounds.h"
#include "network/model/model.h"
#include "planner/known_network.h"

namespace quadrille::plan {

struct Placement {
  std::vector<std::string> hosts;  // in the order in which they are filled; empty: the model's
  Rank ranks_per_host = 1;
  Rank ranks = 0;         // 0: as many as there are places
  bool multicast = true;  // may be used where the model says that it reaches all hosts
};

struct PlannedNetwork {
  NetworkModel model;
  std::vector<std::string> hosts;  // that have ranks, as the costs number them
  KnownNetwork known;              // with costs; the first host's ranks come first

  Rank ranks() const { return static_cast<Rank>(known.view.host_of_rank.size()); }
  const NetworkCosts& costs() const { return *known.costs; }
  const std::string& host_of(Rank rank) const;
  const std::string& segment_of(Rank rank) const;
};

// REQUIRES: ranks_per_host >= 1, ranks >= 0. Errors: an unknown host, one named twice, more ranks
// than places.
Result<PlannedNetwork> place_ranks(const NetworkModel& model, const Placement& placement);

// With TCP's frames, as the costs count them. REQUIRES: the shape is for network.ranks() ranks.
LowerBound bound_of(const Shape& shape, const PlannedNetwork& network,
                    Delivery delivery = Delivery::multicast);

// What a program's planner decides on this network for the shape.
struct RunTimeDecision {
  std::string reason;
  std::vector<std::string> candidates;
};
// Reductions are taken to be of floating point numbers, whose bits depend on the order.
RunTimeDecision decision_of(const Shape& shape, const PlannedNetwork& network);

}  // namespace quadrille::plan
