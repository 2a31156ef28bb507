// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter of unequal blocks in p - 1 rounds: every rank gets the contributions to its block
// directly from those who made them.
//
// In round k rank r sends its contribution to the block of r + k there and receives one to its own
// block from r - k, which it puts to the left of its sum. Empty blocks are not sent; a rank whose
// own block is not empty starts its n-th send when it has received n - 1 times.
//
//   5 ranks, who sends to whom:   round   0->  1->  2->  3->  4->
//                                   1      1    2    3    4    0
//                                   2      2    3    4    0    1
//                                   3      3    4    0    1    2
//                                   4      4    0    1    2    3
//
// Steps:  p - 1 rounds.
// Bytes:  for m bytes of all blocks together every rank sends m less its own block and receives
//         p - 1 times its own: the least possible where blocks are equal.
// Needs:  a commuting operation; scratch for 2 own blocks, 3 in place. Promises: at most one block
//         sent more than received, by ranks whose own is not empty.
// Loses:  at small m against reduce_scatter_recursive_halving, for its p - 1 rounds;
//         where one block is far longer than the others, as all meet at its owner's port.
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
//         MPICH, International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include "algorithms/reduce/pairwise_reduction.h"

namespace quadrille {

bool supports_reduce_scatter_pairwise(const Shape& shape) { return shape.commutative; }

Schedule generate_reduce_scatter_pairwise(const GeneratorInput& input) {
  return reduce_pairwise(input, VectorBlocks(input.counts.send.lengths));
}

}  // namespace quadrille
