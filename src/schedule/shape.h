// SPDX-License-Identifier: BSD-3-Clause
// The shape of one collective call: all that an algorithm may depend on. Every field but `in_place`
// is equal on all ranks by the rules of the MPI standard, so all ranks that decide by a shape
// decide alike.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "schedule/collective.h"

namespace quadrille {

struct Shape {
  Collective collective = Collective::barrier;
  Rank ranks = 1;
  Rank root = 0;  // of rooted operations, else 0
  // Elements: the whole vector of bcast, reduce, allreduce, scan and exscan; one rank's block of
  // allgather, gather, scatter and reduce_scatter_block; one pair's block of alltoall; 0 for
  // barrier. All blocks together of allgatherv and reduce_scatter; 0 for the other vector
  // collectives, about whose size the ranks share no knowledge.
  std::uint64_t count = 0;
  // A reduction never splits an element; where data only move, an element is one byte of the packed
  // data.
  std::uint32_t element_bytes = 1;
  bool commutative = true;  // reductions only
  bool is_builtin = true;   // reductions only: the operation and the type are MPI's own
  // MPI_IN_PLACE: at the root alone for rooted operations (other ranks may have it set or not),
  // else everywhere. For alltoall the caller hands in a copy as `send`, so that it is never set.
  bool in_place = false;
  // The call starts and may wait for nobody. What is decided for such calls is decided apart from
  // the others; the schedules are the same.
  bool is_nonblocking = false;

  bool operator==(const Shape&) const = default;
};

// Payload bytes that describe the call's size: count * element_bytes.
inline Bytes message_size(const Shape& shape) { return {shape.count * shape.element_bytes}; }

}  // namespace quadrille
