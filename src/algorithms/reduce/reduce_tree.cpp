// SPDX-License-Identifier: BSD-3-Clause
// Reduction up a tree of the reference patterns: star, k-ary heap, k-nomial tree, minimum spanning
// tree, ECO's.
//
// Every rank combines its own contribution with what its children send, the last child first, and
// hands the sum to its parent; the order is the tree's, so that a call repeated gives the same
// bits. The trees and parameters are those of bcast_tree.
//
//   5 ranks, root 0, heap, k = 2:   0        rank 1 computes (1 op 4) op 3,
//                                 1   2      rank 0 computes (0 op 2) op (1 op 4 op 3)
//                                3 4
//
// Steps:  as deep as the tree, a rank taking its children's sums one after the other.
// Bytes:  every rank but the root sends m; a rank receives m from each child.
// Needs:  an operation that commutes, as a tree's order is not that of the ranks; scratch for four
//         segments. Without segments in the view mst is a star and eco a heap.
// Loses:  as bcast_tree does.
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

bool supports_reduce_tree(const Shape& shape) { return shape.commutative; }

Schedule generate_reduce_tree(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Tree tree = tree_of(input, shape.root);
  return reduce_over(tree.place(input.rank), shape, input.rank, shape.root,
                     piece_count(input, shape.count));
}

}  // namespace quadrille
