// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter of unequal blocks in log2 p rounds: partners split between them what they share of
// the vector.
//
// Two partners each send the blocks that the other keeps and combine those they keep; the next
// round does the same with these. Ranks beyond a power of two are folded onto a neighbour. Where
// the operation does not commute, partners are neighbours first, so that each sum is one of
// consecutive ranks, and blocks are put into bit-reversed order before.
//
//   5 ranks, 0 folded onto 1, blocks a-e (ab belong to 0 and 1):
//     farthest first     1<->3, 2<->4: 1, 2 keep abc, 3, 4 keep de
//                        1<->2: 1 keeps ab, 2 c;   3<->4: 3 keeps d, 4 e;   then 1->0: a
//
// Steps:  log2 p exchanges, a whole vector and a block more for ranks that are folded.
// Bytes:  for m bytes of all blocks together every rank sends and receives about m, up to m log2 p
//         where one block is nearly all; a rank that is folded onto receives m more.
// Needs:  scratch for up to 2 m; m more where a rank is folded in.
// Loses:  at large m against reduce_scatter_pairwise where ranks are folded.
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
//         MPICH, International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include "algorithms/reduce/halving_reduction.h"

namespace quadrille {

bool supports_reduce_scatter_recursive_halving(const Shape&) { return true; }

Schedule generate_reduce_scatter_recursive_halving(const GeneratorInput& input) {
  return reduce_by_halving(input, VectorBlocks(input.counts.send.lengths));
}

}  // namespace quadrille
