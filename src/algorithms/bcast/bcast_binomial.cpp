// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a binomial tree.
//
// The root holds a range of ranks. It halves the range, sends everything to the first rank of the
// far half and keeps the near half; both go on alike until every range is one rank. Far halves are
// served first, because the longest way down begins there.
//
//   5 ranks, root 0 (vranks):      0
//                                / | \            order of rank 0's sends: 4, 2, 1
//                               4  2  1
//                                  |
//                                  3
//
// Steps:  ceil(log2 p) deep; the root sends ceil(log2 p) times, a leaf never.
// Bytes:  every rank receives m; the root sends up to m ceil(log2 p).
// Needs:  nothing, no scratch.
// Loses:  against pipelines and scatter-allgather once m times the link's time per byte exceeds
//         the latency: the root's port carries the message ceil(log2 p) times.
// Source: Johnsson and Ho, Optimum broadcasting and personalized communication in hypercubes, IEEE
//         Transactions on Computers 38 (1989), doi:10.1109/12.29465
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"

namespace quadrille {

bool supports_bcast_binomial(const Shape&) { return true; }

Schedule generate_bcast_binomial(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  return bcast_over(place_in_ring(GroupPattern::binomial, input.rank, shape.root, shape.ranks),
                    shape, 1);
}

}  // namespace quadrille
