// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter in p - 1 rounds: every rank gets the contributions to its block directly from
// those who made them.
//
// In round k rank r sends its contribution to the block of r + k there and receives one to its own
// block from r - k, which it puts to the left of its sum. So every round loads each port once in
// each direction. A rank starts a send when it has received the block of the round before.
//
//   5 ranks, who sends to whom:   round   0->  1->  2->  3->  4->
//                                   1      1    2    3    4    0
//                                   2      2    3    4    0    1
//                                   3      3    4    0    1    2
//                                   4      4    0    1    2    3
//
// Steps:  p - 1 rounds.
// Bytes:  every rank sends and receives (p - 1) m, the least possible.
// Needs:  a commuting operation; scratch for 2 blocks, 3 in place. Promises: at most one block sent
//         more than received.
// Loses:  at small m against reduce_scatter_block_recursive_halving, for its p - 1 rounds.
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
//         MPICH, International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include "algorithms/reduce/pairwise_reduction.h"

namespace quadrille {

bool supports_reduce_scatter_block_pairwise(const Shape& shape) { return shape.commutative; }

Schedule generate_reduce_scatter_block_pairwise(const GeneratorInput& input) {
  if (input.shape.count == 0) return {};
  return reduce_pairwise(input, VectorBlocks::equal(input.shape.ranks, input.shape.count));
}

}  // namespace quadrille
