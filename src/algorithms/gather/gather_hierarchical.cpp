// SPDX-License-Identifier: BSD-3-Clause
// Gather up a tree of trees: on each host, inside each segment, between segments.
//
// It is bcast_hierarchical backwards, for blocks: every rank collects the blocks of all ranks below
// it beside its own and sends them to its parent as one message. One rank of each host and one host
// of each segment collect for all of it, so that every block crosses each trunk on its way once and
// the root takes few messages; it puts them into rank order.
//
//   5 ranks in segments 0 2 4 / 1 3, root 0, blocks a-e:   3 -> 1: d
//                                                          1 -> 0: b d   2 -> 0: c   4 -> 0: e
//
// between  trunks: along the trunks, one way through every segment; chain, binomial, star: over the
//          segments in the order of a walk along the trunks, from the root's on
// inside   binomial, star or chain over a segment's hosts, as of bcast_hierarchical; host: over a
//          host's ranks
// leader   which host leads, but for the root's segment; order: k-th permutation of the segments'
//          order, 0: small branches first
//
// Steps:  the depths of the three trees together.
// Bytes:  the root receives (p - 1) m, the least possible; an inner rank sends the blocks of all
//         ranks below it, a segment's leader those of its segment and of all behind it.
// Needs:  scratch for the blocks of all ranks below; at the root only for those messages whose
//         ranks do not follow one another.
// Loses:  at large m against gather_linear: blocks are passed on up to as often as the trees are
//         deep, and whole segments arrive at once where a switch has little memory.
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

bool supports_gather_hierarchical(const Shape&) { return true; }

Schedule generate_gather_hierarchical(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Hierarchy hierarchy(input);
  gather_up(builder, tree_in_ring_order(hierarchy.edges({.root = shape.root}), shape), input);
  return builder.build();
}

}  // namespace quadrille
