// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in rank order up and down a tree that knows the network.
//
// Contributions are combined up the tree of reduce_in_order to rank 0; the result goes down the
// same tree, a piece as soon as it is complete.
//
//   5 ranks on hosts a a b | c c of two segments:
//     up:    1 -> 0; 2 -> 0; 4 -> 3; 3 -> 0     ((0 op 1) op 2) op (3 op 4)
//     down:  0 -> 3, 2, 1;  3 -> 4
//
// Parameters as of reduce_in_order.
//
// Steps:  twice the depths of the three trees together, and a piece's time for each further piece.
// Bytes:  with each child and its parent a rank exchanges m both ways; where a segment's ranks
//         follow one another, m crosses each trunk once in each direction.
// Needs:  no commuting operation; scratch for 4 pieces.
// Loses:  against allreduce_hierarchical where the operation commutes; on one switch against
//         algorithms that have no root, through which everything has to go.
// Source: the order is that of reduce_binomial, the levels those of Lowekamp and Beguelin, ECO:
//         Efficient Collective Operations for Communication on Heterogeneous Networks, 10th
//         International Parallel Processing Symposium (1996), doi:10.1109/IPPS.1996.508087
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/rank_runs.h"
#include "algorithms/trees/tree.h"

namespace quadrille {

bool supports_allreduce_in_order(const Shape& shape) { return !shape.commutative; }

Schedule generate_allreduce_in_order(const GeneratorInput& input) {
  return allreduce_over(place_in_runs(input), input.shape, input.rank,
                        piece_count(input, input.shape.count));
}

}  // namespace quadrille
