// SPDX-License-Identifier: BSD-3-Clause
// Barrier in which everybody tells a rank twice as far away in every round.
//
// In round k rank r sends to r + 2^k and receives from r - 2^k; having received in all rounds
// before, its message says that r and the 2^k - 1 ranks before it have come. After ceil(log2 p)
// rounds everybody has heard of everybody. Where p is no power of two the last rounds would tell
// some things twice: a message then waits only for those receipts whose news its receiver cannot
// have otherwise.
//
//   5 ranks, who tells whom:   round   0->  1->  2->  3->  4->     known after it
//                                0      1    2    3    4    0      2 ranks
//                                1      2    3    4    0    1      4 ranks
//                                2      4    0    1    2    3      all
//
// Steps:  ceil(log2 p) sends and receives a rank.
// Bytes:  no payload.
// Needs:  nothing.
// Loses:  where messages share a bus or a trunk: it sends p ceil(log2 p) of them, barrier_binomial
//         2 (p - 1).
// Source: Hensgen, Finkel and Manber, Two algorithms for barrier synchronization, International
//         Journal of Parallel Programming 17 (1988), doi:10.1007/BF01379320
#include "algorithms/algorithm.h"
#include "algorithms/barrier/dissemination.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_barrier_dissemination(const Shape&) { return true; }

Schedule generate_barrier_dissemination(const GeneratorInput& input) {
  ScheduleBuilder builder;
  disseminate(builder, input.rank, input.shape.ranks, ScheduleBuilder::no_step,
              [](Rank rank) { return rank; });
  return builder.build();
}

}  // namespace quadrille
