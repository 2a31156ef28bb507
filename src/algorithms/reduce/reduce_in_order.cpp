// SPDX-License-Identifier: BSD-3-Clause
// Reduction in rank order up a tree that knows the network.
//
// Neighbouring ranks of one host combine, then their sums inside a segment, then between segments;
// each subtree is a range of consecutive ranks, so that combining from left to right keeps rank
// order. Rank 0 hands the result to the root.
//
//   9 ranks on hosts a a a b b | c c d d of two segments, root 0:
//     1, 2 -> 0; 4 -> 3; 3 -> 0        (0 op 1 op 2) op (3 op 4)
//     6 -> 5; 8 -> 7; 7 -> 5; 5 -> 0   ... op ((5 op 6) op (7 op 8))
//
// Parameters: the pattern on each level (`between`, `inside`, `host`: binomial or chain);
// `segment`, bytes of a piece (0: the whole).
//
// Steps:  the depths of the three trees together, and a piece's time for each further piece; one
//         more where the root is not rank 0.
// Bytes:  every rank but rank 0 sends m; where a segment's ranks follow one another, m crosses each
//         trunk once, and once more to the root.
// Needs:  no commuting operation; scratch for 4 pieces.
// Loses:  against reduce_hierarchical where the operation commutes, and to reduce_binomial where
//         neighbours are on different segments.
// Source: the order is that of reduce_binomial, the levels those of Lowekamp and Beguelin, ECO:
//         Efficient Collective Operations for Communication on Heterogeneous Networks, 10th
//         International Parallel Processing Symposium (1996), doi:10.1109/IPPS.1996.508087
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/rank_runs.h"
#include "algorithms/trees/tree.h"

namespace quadrille {

bool supports_reduce_in_order(const Shape& shape) { return !shape.commutative; }

Schedule generate_reduce_in_order(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  return reduce_over(place_in_runs(input), shape, input.rank, 0, piece_count(input, shape.count));
}

}  // namespace quadrille
