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
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_barrier_dissemination(const Shape&) { return true; }

Schedule generate_barrier_dissemination(const GeneratorInput& input) {
  const Rank ranks = input.shape.ranks;
  ScheduleBuilder builder;
  std::vector<StepIndex> receipts;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    // News of a rank travels its distance in steps of ascending powers of two, those of its binary
    // digits. A message over 2^k carries on the news that came over 2^i if 2^i + 2^k is no more
    // than the longest way.
    std::vector<StepIndex> news;
    for (std::size_t i = 0; i < receipts.size(); ++i) {
      if ((Rank{1} << i) + distance < ranks) news.push_back(receipts[i]);
    }
    builder.send_ready(ring_rank(input.rank, distance, ranks), news);
    receipts.push_back(builder.receive_ready(ring_rank(input.rank, -distance, ranks)));
  }
  return builder.build();
}

}  // namespace quadrille
