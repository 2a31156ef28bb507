// SPDX-License-Identifier: BSD-3-Clause
// Gather up a binomial tree.
//
// A rank collects the blocks of all ranks below it, nearest child first, beside its own and sends
// them to its parent as one message. Ranks are numbered from the root, so that the ranks below each
// one follow it; the root puts them where they belong.
//
//   5 ranks, root 0, blocks a-e:      0           rank 2 sends cd in one message;
//                                   / | \         rank 0 receives b, cd, e
//                                  1  2  4
//                                     |
//                                     3
//
// Steps:  ceil(log2 p) deep.
// Bytes:  the root receives (p - 1) m, the least possible; an inner rank sends the blocks of all
//         ranks below it, up to p m / 2.
// Needs:  scratch for the blocks of all ranks below; at the root only for a run of blocks that goes
//         past the last rank to rank 0.
// Loses:  at large m against gather_linear: blocks travel up to log2 p times, and whole subtrees
//         arrive at once where a switch has little memory.
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
//         MPICH, International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_gather_binomial(const Shape&) { return true; }

namespace {

// The root receives the blocks of vranks [first, first + number) from the first of them.
void take_subtree(ScheduleBuilder& builder, const Shape& shape, Rank first, Rank number) {
  const Rank source = rank_of(first, shape);
  const std::vector<Region> runs = ring_runs(Buffer::receive, source, number, shape);
  if (runs.size() == 1) {
    builder.receive(source, runs.front());
    return;
  }
  const Region packed = builder.scratch(blocks_length(number, shape));
  builder.receive(source, packed);
  std::uint64_t next = packed.offset;
  for (const Region& run : runs) {
    builder.copy({packed.buffer, next, run.length}, run);
    next += run.length;
  }
}

}  // namespace

Schedule generate_gather_binomial(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Rank vrank = vrank_of(input.rank, shape);
  const Rank subtree = binomial_subtree(vrank, shape.ranks);
  const Region own = contribution(shape, input.rank);
  const bool is_root = vrank == 0;
  Region collected = own;
  if (is_root) {
    copy_own_block(builder, input);
  } else if (subtree > 1) {
    collected = builder.scratch(blocks_length(subtree, shape));
    builder.copy(own, {collected.buffer, collected.offset, own.length});
  }
  for (Rank distance = 1; distance < subtree; distance *= 2) {
    const Rank child = vrank + distance;
    const Rank below = binomial_subtree(child, shape.ranks);
    if (is_root) {
      take_subtree(builder, shape, child, below);
    } else {
      builder.receive(rank_of(child, shape), blocks_in(collected, distance, below, shape));
    }
  }
  if (!is_root) builder.send(rank_of(vrank & (vrank - 1), shape), collected);
  return builder.build();
}

}  // namespace quadrille
