// SPDX-License-Identifier: BSD-3-Clause
// The block that a rank contributes to an allgather or a gather, equal or not, and its place among
// all blocks.
#pragma once

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

// Copies the rank's own block to its place in the result, unless MPI_IN_PLACE has it there.
// REQUIRES: the rank has a result: each one of an allgather, the root of a gather.
inline void copy_own_block(ScheduleBuilder& builder, const GeneratorInput& input) {
  const Region own = contribution(input.shape, input.rank, input.counts);
  const Region place = has_counts(input.shape.collective)
                           ? input.counts.receive.of(Buffer::receive, input.rank)
                           : block_of(Buffer::receive, input.rank, input.shape.count);
  if (own != place) builder.copy(own, place);
}

}  // namespace quadrille
