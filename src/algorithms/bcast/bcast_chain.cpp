// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a chain, in segments.
//
// The ranks form a chain that begins at the root; each passes a segment on as soon as it has it.
// While the first segment is on its way down the chain the next ones follow, so that after p - 2
// segments' delay every port receives and sends at the full rate.
//
//   5 ranks, root 0:   0 -> 1 -> 2 -> 3 -> 4       time goes right, digits are segments
//     0 sends   0 1 2 3
//     1 sends     0 1 2 3
//     2 sends       0 1 2 3
//     3 sends         0 1 2 3
//
// Steps:  p - 2 + S rounds for S = ceil(m / segment) segments; a rank receives and sends each
//         segment once.
// Bytes:  every rank but the first and the last receives m and sends m.
// Needs:  nothing, no scratch.
// Loses:  where p segments' times exceed that of the message: many ranks, short messages.
// Source: Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, Performance analysis of
//         MPI collective operations, Cluster Computing 10 (2007), doi:10.1007/s10586-007-0012-0
#include "algorithms/algorithm.h"
#include "algorithms/segments.h"
#include "algorithms/trees/along_tree.h"

namespace quadrille {

bool supports_bcast_chain(const Shape&) { return true; }

Schedule generate_bcast_chain(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  return bcast_over(place_in_ring(GroupPattern::chain, input.rank, shape.root, shape.ranks), shape,
                    segment_count(shape, input.parameters["segment"]));
}

}  // namespace quadrille
