// SPDX-License-Identifier: BSD-3-Clause
// Scatter from the root to every rank directly.
//
// The root sends each rank its block out of the user's buffer, in ring order from its own number
// on. Nothing is copied or passed on, and no port but the root's is loaded.
//
//   5 ranks, root 1:   1 -> 2   1 -> 3   1 -> 4   1 -> 0
//
// Steps:  p - 1 sends of the root, all of which may be under way at once; one receive elsewhere.
// Bytes:  the root sends (p - 1) m, every other rank receives m: the least possible.
// Needs:  nothing, no scratch.
// Loses:  at small m against scatter_binomial, for the root's p - 1 messages.
// Source: Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory,
//         practice, and experience, Concurrency and Computation: Practice and Experience 19
//         (2007), doi:10.1002/cpe.1206
#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_scatter_linear(const Shape&) { return true; }

Schedule generate_scatter_linear(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Region target{Buffer::receive, 0, shape.count};
  if (input.rank != shape.root) {
    builder.receive(shape.root, target);
    return builder.build();
  }
  for (Rank distance = 1; distance < shape.ranks; ++distance) {
    const Rank other = ring_rank(shape.root, distance, shape.ranks);
    builder.send(other, block_of(Buffer::send, other, shape.count));
  }
  if (!shape.in_place) {
    builder.copy(block_of(Buffer::send, shape.root, shape.count), target);
  }
  return builder.build();
}

}  // namespace quadrille
