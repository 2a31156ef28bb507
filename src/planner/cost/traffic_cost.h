// SPDX-License-Identifier: BSD-3-Clause
// The time of a call from its traffic: phase by phase, each as long as its busiest resource or its
// longest way of messages that wait for each other. O(transfers), for calls of many ranks and for
// choosing candidates that cost_of then plays through. Integers throughout, as there.
#pragma once

#include "algorithms/traffic/traffic.h"
#include "network/network_costs.h"
#include "planner/cost/cost.h"

namespace quadrille {

// REQUIRES: `traffic` is of a call of costs.ranks() ranks; no rank sends to itself.
CostBreakdown cost_of_traffic(const Traffic& traffic, const NetworkCosts& costs);

}  // namespace quadrille
