// SPDX-License-Identifier: BSD-3-Clause
// Allgather in ceil(log2 p) rounds for any number of ranks.
//
// Before round k a rank has the blocks of the 2^k ranks from itself on. It sends them to the rank
// 2^k before it and gets as many, those from the rank 2^k after it on; in the last round only as
// many as are missing. Blocks go to their final places at once: a run of blocks that wraps around
// the end of the buffer is sent as two messages, at both ends alike, instead of being shifted in
// the end.
//
//   5 ranks, what rank 0 has:   a     +b from 1     +cd from 2     +e from 4
//   rank 3:                     d     +e from 4     +ab from 0     +c from 2
//
// Steps:  ceil(log2 p) rounds, of one or two messages each.
// Bytes:  every rank sends and receives (p - 1) m, the least possible.
// Needs:  nothing, no scratch.
// Loses:  at large m against allgather_ring where far partners share trunks.
// Source: Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all
//         communications in multiport message-passing systems, IEEE Transactions on Parallel and
//         Distributed Systems 8 (1997), doi:10.1109/71.642949
#include <algorithm>

#include "algorithms/algorithm.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allgather_bruck(const Shape&) { return true; }

Schedule generate_allgather_bruck(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  copy_own_block(builder, input);
  for (Rank distance = 1; distance < shape.ranks; distance *= 2) {
    const Rank blocks = std::min(distance, shape.ranks - distance);
    const Rank target = ring_rank(input.rank, -distance, shape.ranks);
    const Rank source = ring_rank(input.rank, distance, shape.ranks);
    for (const Region& run : ring_runs(Buffer::receive, input.rank, blocks, shape)) {
      builder.send(target, run);
    }
    for (const Region& run : ring_runs(Buffer::receive, source, blocks, shape)) {
      builder.receive(source, run);
    }
  }
  return builder.build();
}

}  // namespace quadrille
