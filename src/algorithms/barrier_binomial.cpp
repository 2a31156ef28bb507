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
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_barrier_binomial(const Shape&) { return true; }

Schedule generate_barrier_binomial(const GeneratorInput& input) {
  ScheduleBuilder builder;
  const Rank rank = input.rank;
  const Rank subtree = binomial_subtree(rank, input.shape.ranks);
  std::vector<StepIndex> arrivals;  // of the ranks below, by ascending distance
  for (Rank distance = 1; distance < subtree; distance *= 2) {
    arrivals.push_back(builder.receive_ready(rank + distance));
  }
  StepIndex released = ScheduleBuilder::no_step;
  if (rank != 0) {
    const Rank parent = rank & (rank - 1);
    builder.send_ready(parent, arrivals);
    released = builder.receive_ready(parent);
  }
  for (std::size_t child = arrivals.size(); child-- > 0;) {
    std::vector<StepIndex> others = arrivals;
    others[child] = released;
    builder.send_ready(rank + (Rank{1} << child), others);
  }
  return builder.build();
}

}  // namespace quadrille
