// SPDX-License-Identifier: BSD-3-Clause
// Scatter of unequal blocks from the root to every rank directly.
//
// The root sends each rank its block out of the user's buffer, in ring order from its own number
// on. Nothing is copied or passed on; empty blocks are not sent.
//
//   5 ranks, root 1:   1 -> 2   1 -> 3   1 -> 4   1 -> 0
//
// Steps:  up to p - 1 sends of the root, all of which may be under way at once.
// Bytes:  the root sends all blocks but its own, every other rank receives its own: the least
//         possible.
// Needs:  nothing, no scratch.
// Loses:  where all blocks are small, for the root's messages: as many as there are ranks.
// Source: Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory,
//         practice, and experience, Concurrency and Computation: Practice and Experience 19
//         (2007), doi:10.1002/cpe.1206
#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_scatterv_linear(const Shape&) { return true; }

Schedule generate_scatterv_linear(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  const Region target = input.counts.receive.of(Buffer::receive, 0);
  if (input.rank != shape.root) {
    if (target.length > 0) builder.receive(shape.root, target);
    return builder.build();
  }
  for (Rank distance = 1; distance < shape.ranks; ++distance) {
    const Rank other = ring_rank(shape.root, distance, shape.ranks);
    const Region block = input.counts.send.of(Buffer::send, other);
    if (block.length > 0) builder.send(other, block);
  }
  if (!shape.in_place) builder.copy(input.counts.send.of(Buffer::send, shape.root), target);
  return builder.build();
}

}  // namespace quadrille
