// SPDX-License-Identifier: BSD-3-Clause
// Allgather up and down a tree of the reference patterns: star, k-ary heap, k-nomial tree, minimum
// spanning tree, ECO's.
//
// Every rank collects the blocks of its subtree and hands them to its parent in one message; rank 0
// puts all into rank order and sends them down the same tree, as in bcast_tree. This is how ECO
// gathers to all. The trees and parameters are those of bcast_tree; `segment` cuts the way down
// only.
//
//   5 ranks, heap, k = 2, blocks a-e:   0      up:   d, e -> 1;  b d e -> 0, c -> 0
//                                     1   2    down: a b c d e everywhere
//                                    3 4
//
// Steps:  twice as deep as the tree, a rank dealing with its children one after the other.
// Bytes:  a rank sends its subtree's blocks up and p m to each child; every rank but rank 0
//         receives p m from its parent.
// Needs:  scratch for the blocks of the rank's subtree, but for a leaf's and for those that reach
//         rank 0 in rank order. Without segments in the view mst is a star and eco a heap.
// Loses:  against every algorithm without a root: rank 0's port carries the p blocks once for each
//         child.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996); Prim,
//         Shortest connection networks and some generalizations, Bell System Technical Journal 36
//         (1957), doi:10.1002/j.1538-7305.1957.tb01515.x; Wilkins et al., Generalized Collective
//         Algorithms for the Exascale Era, IEEE Cluster (2023),
//         doi:10.1109/CLUSTER52292.2023.00013
#include "algorithms/algorithm.h"
#include "algorithms/gather/subtree_blocks.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/tree.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allgather_tree(const Shape&) { return true; }

Schedule generate_allgather_tree(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Tree tree = tree_of(input, 0);
  gather_up(builder, tree, input);
  const Region all{Buffer::receive, 0, static_cast<std::uint64_t>(shape.ranks) * shape.count};
  const std::uint64_t pieces = piece_count(input, all.length);
  const PlaceInTree place = tree.place(input.rank);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    pass_down(builder, place, all.segment(piece, pieces));
  }
  return builder.build();
}

}  // namespace quadrille
