// SPDX-License-Identifier: BSD-3-Clause
// Reduction along a chain, in segments.
//
// The last rank of the chain sends its contribution segment by segment; every other one puts its
// own to the left of what arrives and passes the sum on. If the operation commutes the chain ends
// at the root; else it runs from the last rank to rank 0, and rank 0 hands the result to the root.
//
//   5 ranks, root 0:   4 -> 3 -> 2 -> 1 -> 0       time goes right, digits are segments
//     4 sends   0 1 2 3
//     3 sends     0 1 2 3         3 op 4
//     2 sends       0 1 2 3       2 op (3 op 4)
//     1 sends         0 1 2 3     1 op (2 op (3 op 4)); rank 0 does the last combination
//
// Steps:  p - 2 + S rounds for S = ceil(m / segment) segments, a hop more if the result has to
//         move to the root.
// Bytes:  every rank but the last receives m, every rank but the root sends m.
// Needs:  scratch for 4 segments, of the end of the chain none if it is the root and not in place.
// Loses:  where p segments' times exceed that of the vector: many ranks, short vectors.
// Source: Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, Performance analysis of
//         MPI collective operations, Cluster Computing 10 (2007), doi:10.1007/s10586-007-0012-0
#include "algorithms/algorithm.h"
#include "algorithms/segments.h"
#include "algorithms/trees/along_tree.h"

namespace quadrille {

bool supports_reduce_chain(const Shape&) { return true; }

Schedule generate_reduce_chain(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Rank top = shape.commutative ? shape.root : 0;
  return reduce_over(place_in_ring(GroupPattern::chain, input.rank, top, shape.ranks), shape,
                     input.rank, top, segment_count(shape, input.parameters["segment"]));
}

}  // namespace quadrille
