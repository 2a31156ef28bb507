// SPDX-License-Identifier: BSD-3-Clause
// A tree over all ranks that keeps rank order and knows the network: neighbouring ranks of one host
// join, then neighbouring joined ones of one segment, then what is left. Each time a run of them is
// headed by its first, so that every subtree is a range of consecutive ranks that begins with its
// top.
//
//   9 ranks on hosts a a a b b c c d d, a and b in one segment, c and d in another:
//     on hosts         0 -> 2 1     3 -> 4     5 -> 6     7 -> 8
//     inside segments  0 -> 3                  5 -> 7
//     between          0 -> 5                             data cross the trunk once
//
// Where ranks stand on hosts and segments in turn, no two neighbours join and the tree is one over
// all ranks that knows nothing.
#pragma once

#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/trees/place_in_tree.h"

namespace quadrille {

// This rank's place in the tree from rank 0, by the parameters `between`, `inside` and `host`
// (binomial or chain). Later children have lower ranks; the depth is not told. Time O(p).
PlaceInTree place_in_runs(const GeneratorInput& input);

// The same tree's edges, each behind that above it. Time O(p).
std::vector<TreeEdge> edges_of_runs(const GeneratorInput& input);

}  // namespace quadrille
