// SPDX-License-Identifier: BSD-3-Clause
// What hosts together can send into each trunk: only a trunk that they can overload can be known.
#pragma once

#include <vector>

#include "probe/simulated/topologies/topology.h"

namespace quadrille::probe {

// What the hosts on a trunk's side can offer it, bit/s, limited by their own cables, buses and the
// trunks on their way.
struct TrunkOffers {
  double forward_bit_s = 0;
  double backward_bit_s = 0;
};

// [trunks]. REQUIRES: problem_of(topology) is empty.
std::vector<TrunkOffers> trunk_offers(const SimulatedTopology& topology);

// Whether the hosts on one side of the trunk at least can offer it `oversubscription` times its
// rate.
bool is_saturable(const SimulatedTrunk& trunk, const TrunkOffers& offers, double oversubscription);

// Lowers trunk rates, as little as needed, until that holds for every trunk. An end at a bus has no
// rate of its own.
void make_saturable(SimulatedTopology& topology, double oversubscription);

}  // namespace quadrille::probe
