// SPDX-License-Identifier: BSD-3-Clause
// Recursive division of a graph along the network's tree: each branch gets as many ranks as it has
// places, chosen so that they talk to each other, and divides them among its own branches.
#pragma once

#include <vector>

#include "mapping/placement.h"

namespace quadrille {

// A host for each rank of `graph`, each host taken as often as `places` has it.
// REQUIRES: as many ranks in `graph` as in `places`; segments of `places` are nodes of `tree`.
std::vector<std::uint32_t> bisected(const CommunicationGraph& graph, const TopologyView& places,
                                    const NetworkTree& tree);

}  // namespace quadrille
