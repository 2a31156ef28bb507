// SPDX-License-Identifier: BSD-3-Clause
// Allreduce up and down a tree of the reference patterns: star, k-ary heap, k-nomial tree, minimum
// spanning tree, ECO's.
//
// Contributions are combined up the tree to rank 0, as in reduce_tree; the result goes down the
// same tree, as in bcast_tree, a segment as soon as it is complete. This is how ECO reduces to all.
// The trees and parameters are those of bcast_tree.
//
//   5 ranks, heap, k = 2:   0      up:   3, 4 -> 1;  1, 2 -> 0
//                         1   2    down: 0 -> 1, 2;  1 -> 3, 4
//                        3 4
//
// Steps:  twice as deep as the tree, a rank dealing with its children one after the other.
// Bytes:  every rank but rank 0 sends m to its parent and receives m from it; with each child it
//         exchanges m both ways.
// Needs:  an operation that commutes, as a tree's order is not that of the ranks; scratch for four
//         segments. Without segments in the view mst is a star and eco a heap.
// Loses:  on a switch against every algorithm that has no root, through which everything has to go.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996); Prim,
//         Shortest connection networks and some generalizations, Bell System Technical Journal 36
//         (1957), doi:10.1002/j.1538-7305.1957.tb01515.x; Wilkins et al., Generalized Collective
//         Algorithms for the Exascale Era, IEEE Cluster (2023),
//         doi:10.1109/CLUSTER52292.2023.00013
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/tree.h"

namespace quadrille {

bool supports_allreduce_tree(const Shape& shape) { return shape.commutative; }

Schedule generate_allreduce_tree(const GeneratorInput& input) {
  return allreduce_over(tree_of(input, 0).place(input.rank), input.shape, input.rank,
                        piece_count(input, input.shape.count));
}

}  // namespace quadrille
