// SPDX-License-Identifier: BSD-3-Clause
// Why the planner chooses what it chooses: the candidates with their costs, the one that is looked
// at, and what the slower of two loses its time with.
//
// Pure: the same values as in the planner's own decision, kept instead of forgotten.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/known_network.h"
#include "planner/plan_search.h"

namespace quadrille {

// What a call's time is spent on: the three add up to it.
enum class TimeShare : std::uint8_t {
  resource,         // its busiest one at work
  retransmissions,  // of what buffers could not hold
  waiting,          // for messages in a row, while the busiest resource is idle
};
const char* name_of(TimeShare share);

struct Comparison {
  TimeShare most = TimeShare::waiting;  // in which the slower one's time is longer by most
  Nanoseconds by;                       // how much longer in that share
  // The slower one's busiest resource, and how long it is busy in either; none: it sends nothing.
  NetworkCosts::ResourceIndex resource = NetworkCosts::none;
  Nanoseconds busy_slower;
  Nanoseconds busy_faster;
};

// REQUIRES: both are costs on one network.
Comparison compare(const CostBreakdown& slower, const CostBreakdown& faster);

struct Explanation {
  std::vector<CostedCandidate> candidates;  // cheapest first, one of each algorithm
  CostedCandidate plan;                     // the cheapest, or the one asked for
  // The next of the candidates; of a plan that was asked for and is not the cheapest, the cheapest.
  std::optional<CostedCandidate> other;
  std::optional<LibraryTime> library;
};

// `asked`: a candidate to look at instead of the cheapest. Nothing where no candidate can be
// costed. REQUIRES: as of cost_candidates(), network.costs; `asked` supports the shape.
std::optional<Explanation> explain(const Shape& shape, const KnownNetwork& network,
                                   const std::optional<Candidate>& asked);

}  // namespace quadrille
