// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by exchanging sums with a rank twice as far away in every round.
//
// In round k each rank swaps its sum with the rank whose number differs in bit k, and both combine
// the two, the lower rank's to the left. After round k a rank holds the sum of an aligned range of
// 2^(k+1) ranks, in rank order, and everybody in that range computed it in the same way. Ranks
// beyond a power of two are folded onto a neighbour.
//
//   5 ranks:   fold 0->1     round 0: 1<->2 3<->4     round 1: 1<->3 2<->4     back 1->0
//              01 2 3 4               (01 2) (3 4)             ((01 2) (3 4))
//
// Steps:  ceil(log2 p) exchanges deep for a power of two, else 2 + floor(log2 p).
// Bytes:  every rank sends and receives m log2 p.
// Needs:  scratch for m elements; no commuting operation.
// Loses:  at large m, for it sends the whole vector in every round (allreduce_rabenseifner sends 2
//         m in all).
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
//         MPICH, International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include "algorithms/algorithm.h"
#include "algorithms/reduce/recursive_doubling.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allreduce_recursive_doubling(const Shape&) { return true; }

Schedule generate_allreduce_recursive_doubling(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const SumExchange all{shape.ranks, input.rank, [](Rank number) { return number; }};
  exchange_sums(builder, all, contribution(shape, input.rank), {Buffer::receive, 0, shape.count});
  return builder.build();
}

}  // namespace quadrille
