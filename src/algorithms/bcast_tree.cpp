// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a tree of the reference patterns: star, k-ary heap, k-nomial tree, minimum
// spanning tree, ECO's.
//
// Every rank passes the message on to its children in the tree as soon as it has it. `kind` names
// the tree: a heap of k children, a minimum spanning tree, ECO's tree over subnets with k children
// on each level, or a k-nomial tree, in which every rank that has the message takes on k - 1
// children a round. k = 1 makes the heap a chain, k from p - 1 on a star; `segment` > 0 cuts the
// message into pieces that follow each other down the tree. Published libraries are compared by
// these patterns.
//
//   5 ranks, root 0:   heap, k = 2:   0         mst and eco, segments 0 1 / 2 3 4:   0
//                                   1   2                                           2 1
//                                  3 4                                             3 4
//                      knomial, k = 3:   0 -> 3 1 2, 3 -> 4
//
// Steps:  as deep as the tree, a rank serving its children one after the other: k ceil(log_k p)
//         for a heap, (k - 1) ceil(log_k p) for a k-nomial tree; with S segments, S - 1 rounds
//         more, of as many messages as the root has children.
// Bytes:  every rank receives m and sends m to each child.
// Needs:  nothing, no scratch. Without segments in the view mst is a star and eco a heap.
// Loses:  against pipelines at large m; heap, star and k-nomial tree where segments share a slow
//         cable, which they cross several times with the same bytes.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996); Prim,
//         Shortest connection networks and some generalizations, Bell System Technical Journal 36
//         (1957), doi:10.1002/j.1538-7305.1957.tb01515.x; Wilkins et al., Generalized Collective
//         Algorithms for the Exascale Era, IEEE Cluster (2023),
//         doi:10.1109/CLUSTER52292.2023.00013
#include "algorithms/algorithm.h"
#include "algorithms/along_tree.h"
#include "algorithms/tree.h"

namespace quadrille {

bool supports_bcast_tree(const Shape&) { return true; }

Schedule generate_bcast_tree(const GeneratorInput& input) {
  const Tree tree = tree_of(input, input.shape.root);
  return bcast_over(tree.place(input.rank), input.shape, piece_count(input, input.shape.count));
}

}  // namespace quadrille
