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
#include <array>

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_reduce_binomial(const Shape&) { return true; }

namespace {

// Combines what the ranks below `vrank` send with the own contribution; returns where the result
// lies.
Region combine_subtree(ScheduleBuilder& builder, const Shape& tree, Rank vrank, Region own) {
  const Rank subtree = binomial_subtree(vrank, tree.ranks);
  Region result = own;
  std::array<Region, 2> targets{};
  for (Rank distance = 1, level = 0; distance < subtree; distance *= 2, ++level) {
    // The sum so far lies in the target of the level before, so that two of them take turns.
    Region& target = targets[static_cast<std::size_t>(level % 2)];
    if (level < 2) target = builder.scratch(own.length);
    builder.receive(rank_of(vrank + distance, tree), target);
    builder.reduce(result, target);
    result = target;
  }
  return result;
}

}  // namespace

Schedule generate_reduce_binomial(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  Shape tree = shape;
  if (!shape.commutative) tree.root = 0;
  const Rank vrank = vrank_of(input.rank, tree);
  const Region own = contribution(shape, input.rank);
  const Region result = combine_subtree(builder, tree, vrank, own);
  const Region target{Buffer::receive, 0, shape.count};
  if (vrank != 0) builder.send(rank_of(vrank & (vrank - 1), tree), result);
  if (tree.root != shape.root) {
    if (input.rank == tree.root) builder.send(shape.root, result);
    if (input.rank == shape.root) builder.receive(tree.root, target);
  } else if (input.rank == shape.root && result != target) {
    builder.copy(result, target);
  }
  return builder.build();
}

}  // namespace quadrille
