// SPDX-License-Identifier: BSD-3-Clause
// Reduction up a binomial tree, in rank order.
//
// Every rank combines its own contribution with those of the ranks below it, near ones first, and
// hands the result to its parent. A rank's subtree is a range of consecutive ranks that begins
// with it, so that combining from left to right keeps rank order. If the operation commutes the
// tree begins at the root; else it begins at rank 0, which hands the result to the root.
//
//   5 ranks, root 0:      0
//                       / | \        rank 2 computes 2 op 3;
//                      1  2  4       rank 0 computes ((0 op 1) op (2 op 3)) op 4
//                         |
//                         3
//
// Steps:  ceil(log2 p) deep, one more if the operation does not commute and the root is not rank
//         0.
// Bytes:  every rank but the root sends m; the root receives m ceil(log2 p).
// Needs:  scratch for 2 m elements at most.
// Loses:  at large m against pipelines: the root's port carries the vector ceil(log2 p) times.
// Source: Johnsson and Ho, Optimum broadcasting and personalized communication in hypercubes, IEEE
//         Transactions on Computers 38 (1989), doi:10.1109/12.29465
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"

namespace quadrille {

bool supports_reduce_binomial(const Shape&) { return true; }

Schedule generate_reduce_binomial(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Rank top = shape.commutative ? shape.root : 0;
  return reduce_over(place_in_ring(GroupPattern::binomial, input.rank, top, shape.ranks), shape,
                     input.rank, top, 1);
}

}  // namespace quadrille
