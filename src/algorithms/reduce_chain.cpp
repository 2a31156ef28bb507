// SPDX-License-Identifier: BSD-3-Clause
// Reduction along a chain, in segments.
//
// The last rank of the chain sends its contribution segment by segment; every other one puts its
// own to the left of what arrives and passes the sum on. If the operation commutes the chain ends
// at the root; else it runs from the last rank to rank 0, and rank 0 hands the result to the root.
//
//   5 ranks, root 0:   4 -> 3 -> 2 -> 1 -> 0       time goes right, digits are segments
//     4 sends   0 1 2 3
//     3 sends     0 1 2 3         3 op 4
//     2 sends       0 1 2 3       2 op (3 op 4)
//     1 sends         0 1 2 3     1 op (2 op (3 op 4)); rank 0 does the last combination
//
// Steps:  p - 2 + S rounds for S = ceil(m / segment) segments, a hop more if the result has to
//         move to the root.
// Bytes:  every rank but the last receives m, every rank but the root sends m.
// Needs:  scratch for 4 segments, of the end of the chain none if it is the root and not in place.
// Loses:  where p segments' times exceed that of the vector: many ranks, short vectors.
// Source: Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, Performance analysis of
//         MPI collective operations, Cluster Computing 10 (2007), doi:10.1007/s10586-007-0012-0
#include <algorithm>

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "algorithms/segments.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_reduce_chain(const Shape&) { return true; }

Schedule generate_reduce_chain(const GeneratorInput& input) {
  // A segment's slot is free again when the sum in it has been sent; four slots keep receiving,
  // combining and sending going.
  constexpr std::uint64_t slots = 4;
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  Shape chain = shape;
  if (!shape.commutative) chain.root = 0;
  const Rank vrank = vrank_of(input.rank, chain);
  const Region own = contribution(shape, input.rank);
  const Region target{Buffer::receive, 0, shape.count};
  const std::uint64_t segments = segment_count(shape, input.parameters["segment"]);
  const bool is_last = vrank + 1 == shape.ranks;
  const bool ends_here = vrank == 0 && chain.root == shape.root;
  const bool combines_in_target = ends_here && own.buffer == Buffer::send;
  const std::uint64_t slot_length = own.part(0, segments).length;
  const Region ring =
      builder.scratch(is_last || combines_in_target ? 0 : std::min(slots, segments) * slot_length);
  for (std::uint64_t segment = 0; segment < segments; ++segment) {
    const Region own_part = own.part(segment, segments);
    const Region target_part = target.part(segment, segments);
    const Region slot{Buffer::scratch, ring.offset + segment % slots * slot_length,
                      own_part.length};
    Region sum = own_part;
    if (!is_last) {
      sum = combines_in_target ? target_part : slot;
      builder.receive(rank_of(vrank + 1, chain), sum);
      builder.reduce(own_part, sum);
    }
    if (vrank > 0) {
      builder.send(rank_of(vrank - 1, chain), sum);
    } else if (!ends_here) {
      builder.send(shape.root, sum);
    } else if (sum != target_part) {
      builder.copy(sum, target_part);
    }
    if (input.rank == shape.root && chain.root != shape.root) {
      builder.receive(chain.root, target_part);
    }
  }
  return builder.build();
}

}  // namespace quadrille
