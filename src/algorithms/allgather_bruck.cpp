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
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allgather_bruck(const Shape&) { return true; }

namespace {

// Calls `visit` with the regions of `blocks` blocks from that of rank `first` on, of which the last
// may follow on the buffer's end.
template <typename Visit>
void for_each_run(const Shape& shape, Rank first, Rank blocks, const Visit& visit) {
  const auto run = [&](Rank begin, Rank count) {
    visit(Region{Buffer::receive, static_cast<std::uint64_t>(begin) * shape.count,
                 static_cast<std::uint64_t>(count) * shape.count});
  };
  const Rank before_end = std::min(blocks, shape.ranks - first);
  run(first, before_end);
  if (blocks > before_end) run(0, blocks - before_end);
}

}  // namespace

Schedule generate_allgather_bruck(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Region own = contribution(shape, input.rank);
  const Region own_place = block_of(Buffer::receive, input.rank, shape.count);
  if (own != own_place) builder.copy(own, own_place);
  for (Rank distance = 1; distance < shape.ranks; distance *= 2) {
    const Rank blocks = std::min(distance, shape.ranks - distance);
    const Rank target = ring_rank(input.rank, -distance, shape.ranks);
    const Rank source = ring_rank(input.rank, distance, shape.ranks);
    for_each_run(shape, input.rank, blocks, [&](const Region& run) { builder.send(target, run); });
    for_each_run(shape, source, blocks, [&](const Region& run) { builder.receive(source, run); });
  }
  return builder.build();
}

}  // namespace quadrille
