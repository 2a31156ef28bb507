// SPDX-License-Identifier: BSD-3-Clause
// Scatter down a tree of trees: between segments, inside each, on each host.
//
// It is bcast_hierarchical for blocks: the root sends each of its children the blocks of all ranks
// below that one in one message, and every rank that receives several passes on all but its own in
// the same way. One host of each segment and one rank of each host take what all of it are to get,
// so that every block crosses each trunk on its way once and the root sends few messages.
//
//   5 ranks in segments 0 2 4 / 1 3, root 0, blocks a-e:   0 -> 1: b d   0 -> 4: e   0 -> 2: c
//                                                          1 -> 3: d
//
// Parameters as of gather_hierarchical.
//
// Steps:  the depths of the three trees together.
// Bytes:  the root sends (p - 1) m, the least possible; an inner rank receives the blocks of all
//         ranks below it, a segment's leader those of its segment and of all behind it.
// Needs:  scratch for the blocks of all ranks below; at the root only for those messages whose
//         ranks do not follow one another.
// Loses:  at large m against scatter_linear: blocks are passed on up to as often as the trees are
//         deep.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996),
//         doi:10.1109/IPPS.1996.508087; Kandalla, Subramoni, Vishnu and Panda, Designing
//         topology-aware collective communication algorithms for large scale InfiniBand clusters:
//         case studies with scatter and gather, Workshop on Communication Architecture for Clusters
//         (2010)
#include "algorithms/algorithm.h"
#include "algorithms/gather/subtree_blocks.h"
#include "algorithms/trees/hierarchy.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_scatter_hierarchical(const Shape&) { return true; }

Schedule generate_scatter_hierarchical(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Hierarchy hierarchy(input);
  const TreeChoice choice{.root = shape.root};
  const Tree tree = tree_in_ring_order(hierarchy.edges(choice), shape);
  scatter_down(builder, tree, hierarchy.place(choice).children, input);
  return builder.build();
}

}  // namespace quadrille
