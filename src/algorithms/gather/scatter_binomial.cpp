// SPDX-License-Identifier: BSD-3-Clause
// Scatter down a binomial tree.
//
// The root sends the first rank of the far half of the ranks the blocks of that whole half as one
// message, then goes on with the near half; every rank that receives several blocks passes on all
// but its own in the same way. Ranks are numbered from the root.
//
//   5 ranks, root 0, blocks a-e:      0           order of rank 0's sends: e, cd, b;
//                                   / | \         rank 2 passes on d
//                                  4  2  1
//                                     |
//                                     3
//
// Steps:  ceil(log2 p) deep.
// Bytes:  the root sends (p - 1) m, the least possible; an inner rank receives the blocks of all
//         ranks below it, up to p m / 2.
// Needs:  scratch for the blocks of all ranks below; at the root only for a run of blocks that goes
//         past the last rank to rank 0.
// Loses:  at large m against scatter_linear: blocks travel up to log2 p times.
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
//         MPICH, International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_scatter_binomial(const Shape&) { return true; }

namespace {

// The root's blocks of vranks [first, first + number), one behind the other.
Region root_blocks(ScheduleBuilder& builder, const Shape& shape, Rank first, Rank number) {
  const std::vector<Region> runs = ring_runs(Buffer::send, rank_of(first, shape), number, shape);
  if (runs.size() == 1) return runs.front();
  const Region packed = builder.scratch(blocks_length(number, shape));
  std::uint64_t next = packed.offset;
  for (const Region& run : runs) {
    builder.copy(run, {packed.buffer, next, run.length});
    next += run.length;
  }
  return packed;
}

}  // namespace

Schedule generate_scatter_binomial(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Rank vrank = vrank_of(input.rank, shape);
  const Rank subtree = binomial_subtree(vrank, shape.ranks);
  const Region target{Buffer::receive, 0, shape.count};
  Region own = block_of(Buffer::send, input.rank, shape.count);
  Region held = target;
  if (vrank != 0) {
    if (subtree > 1) held = builder.scratch(blocks_length(subtree, shape));
    builder.receive(rank_of(vrank & (vrank - 1), shape), held);
    own = {held.buffer, held.offset, shape.count};
  }
  for (Rank distance = subtree > 1 ? power_of_two_within(subtree - 1) : 0; distance > 0;
       distance /= 2) {
    const Rank child = vrank + distance;
    const Rank below = binomial_subtree(child, shape.ranks);
    const Region part = vrank == 0 ? root_blocks(builder, shape, child, below)
                                   : blocks_in(held, distance, below, shape);
    builder.send(rank_of(child, shape), part);
  }
  const bool stays_in_place = vrank == 0 && shape.in_place;
  if (own != target && !stays_in_place) builder.copy(own, target);
  return builder.build();
}

}  // namespace quadrille
