// SPDX-License-Identifier: BSD-3-Clause
// Exclusive scan along a chain, in segments.
//
// Rank 0 sends its contribution segment by segment. What arrives at another rank is its result; it
// puts it to the left of its own contribution and passes that on.
//
//   5 ranks:   0 -> 1 -> 2 -> 3 -> 4       time goes right, digits are segments
//     0 sends   0 1 2 3
//     1 sends     0 1 2 3         0 op 1; its result is 0
//     2 sends       0 1 2 3       (0 op 1) op 2; its result is 0 op 1
//     3 sends         0 1 2 3     ((0 op 1) op 2) op 3
//
// Steps:  p - 2 + S rounds for S = ceil(m / segment) segments.
// Bytes:  every rank but the first receives m, every rank but the last sends m: the least possible.
// Needs:  scratch for 4 segments; no commuting operation.
// Loses:  where p segments' times exceed that of the vector: many ranks, short vectors.
// Source: Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, Performance analysis of
//         MPI collective operations, Cluster Computing 10 (2007), doi:10.1007/s10586-007-0012-0
#include <algorithm>

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"
#include "algorithms/trees/slot_ring.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_exscan_chain(const Shape&) { return true; }

Schedule generate_exscan_chain(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Region own = contribution(shape, input.rank);
  const Region target{Buffer::receive, 0, shape.count};
  const std::uint64_t segments = segment_count(shape, input.parameters["segment"]);
  const bool is_first = input.rank == 0;
  const bool is_last = input.rank + 1 == shape.ranks;
  const bool is_inner = !is_first && !is_last;
  SlotRing ring(builder, is_inner ? std::min(SlotRing::pipeline_slots, segments) : 0,
                own.longest_segment(segments));
  for (std::uint64_t segment = 0; segment < segments; ++segment) {
    const Region own_part = own.segment(segment, segments);
    const Region before = target.segment(segment, segments);
    const Region sum = is_inner ? ring.next(own_part.length) : own_part;
    if (is_inner) builder.copy(own_part, sum);
    if (!is_first) builder.receive(input.rank - 1, before);
    if (is_inner) builder.reduce(before, sum);
    if (!is_last) builder.send(input.rank + 1, sum);
  }
  return builder.build();
}

}  // namespace quadrille
