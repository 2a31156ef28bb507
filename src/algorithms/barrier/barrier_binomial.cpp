// SPDX-License-Identifier: BSD-3-Clause
// Barrier up and down a binomial tree.
//
// Every rank waits for those below it and then tells its parent that they have come; rank 0
// then releases those below it, and they theirs. Who is released has come itself, so that its
// release waits for the others only.
//
//   5 ranks:      0
//               / | \        up:   1->0, 3->2, 4->0, then 2->0
//              1  2  4       down: 0->4, 0->2, 0->1, 2->3
//                 |
//                 3
//
// Steps:  2 ceil(log2 p) deep; p - 1 messages up and p - 1 down.
// Bytes:  no payload.
// Needs:  nothing.
// Loses:  against barrier_dissemination where messages do not hinder each other: twice its depth.
// Source: Mellor-Crummey and Scott, Algorithms for scalable synchronization on shared-memory
//         multiprocessors, ACM Transactions on Computer Systems 9 (1991),
//         doi:10.1145/103727.103729
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"

namespace quadrille {

bool supports_barrier_binomial(const Shape&) { return true; }

Schedule generate_barrier_binomial(const GeneratorInput& input) {
  ScheduleBuilder builder;
  arrive_and_release(builder,
                     place_in_ring(GroupPattern::binomial, input.rank, 0, input.shape.ranks));
  return builder.build();
}

}  // namespace quadrille
