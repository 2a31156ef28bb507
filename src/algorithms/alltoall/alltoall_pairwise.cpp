// SPDX-License-Identifier: BSD-3-Clause
// All-to-all in p - 1 rounds, a rank sending at most one block more than it has received.
//
// In round k rank r sends to r + k and receives from r - k, so every round loads each port once in
// each direction. A rank starts the send of a round when it has received the block of the round
// before: a rank that is ahead waits for those that are behind. Receives wait for nothing, their
// buffers being there from the start.
//
//   5 ranks, who sends to whom:   round   0->  1->  2->  3->  4->
//                                   1      1    2    3    4    0
//                                   2      2    3    4    0    1
//                                   3      3    4    0    1    2
//                                   4      4    0    1    2    3
//
// Steps:  p - 1 sends and receives a rank, one copy of its own block.
// Bytes:  each rank sends and receives (p - 1) m.
// Needs:  nothing, no scratch. Promises: at most one block sent more than received.
// Loses:  where buffers in front of a port are smaller than p - 1 blocks: nothing keeps two early
//         senders from meeting at a late receiver (alltoall_ordered does), and at small m against
//         alltoall_bruck.
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
//         MPICH, International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_alltoall_pairwise(const Shape&) { return true; }

Schedule generate_alltoall_pairwise(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  if (shape.ranks > 1) builder.promise_most_ahead(1);
  StepIndex received_before = ScheduleBuilder::no_step;
  for (Rank round = 1; round < shape.ranks; ++round) {
    const Rank target = ring_rank(input.rank, round, shape.ranks);
    const Rank source = ring_rank(input.rank, -round, shape.ranks);
    builder.send(target, block_of(Buffer::send, target, shape.count), {received_before});
    received_before = builder.receive(source, block_of(Buffer::receive, source, shape.count));
  }
  builder.copy(block_of(Buffer::send, input.rank, shape.count),
               block_of(Buffer::receive, input.rank, shape.count));
  return builder.build();
}

}  // namespace quadrille
