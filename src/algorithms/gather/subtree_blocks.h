// SPDX-License-Identifier: BSD-3-Clause
// One block a rank, moved along a tree in messages of whole subtrees: a rank's own block and those
// of all ranks below it go over the edge to its parent together, in the order of Tree::subtree. The
// root's buffer has all blocks in rank order. Where the ranks of a message follow one another in
// that order it lies there as it is; else its runs of such ranks are copied from and to scratch.
#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/trees/tree.h"
#include "schedule/builder.h"

namespace quadrille {

// The tree whose children stand in ring order from the call's root on, so that most messages hold
// ranks in rank order. REQUIRES: the edges make a tree over all ranks.
Tree tree_in_ring_order(std::vector<TreeEdge> edges, const Shape& shape);

// Collects all contributions in the `receive` of the tree's root. REQUIRES: shape.count > 0.
void gather_up(ScheduleBuilder& builder, const Tree& tree, const GeneratorInput& input);

// Gives every rank its block of the root's `send`. `children` are this rank's in the order in which
// they are served. REQUIRES: shape.count > 0.
void scatter_down(ScheduleBuilder& builder, const Tree& tree, std::span<const Rank> children,
                  const GeneratorInput& input);

}  // namespace quadrille
