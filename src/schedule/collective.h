// SPDX-License-Identifier: BSD-3-Clause
// The contract of each collective operation: which buffers a rank has, what is in them before, and
// what has to be in them afterwards. Every algorithm of a collective is checked against this one
// contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"
#include "schedule/schedule.h"

namespace quadrille {

struct Shape;

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  allgather,
  alltoall,
};

const char* name_of(Collective collective);
std::optional<Collective> collective_named(std::string_view name);

// Whether the operation has a root, and whether it combines contributions with a reduction
// operator.
bool is_rooted(Collective collective);
bool is_reducing(Collective collective);

// Lengths, in elements, of a rank's user buffers. What MPI calls buffers maps to these two:
//   bcast      the user's one buffer is `receive` on every rank; the root's holds the data before
//   reduce     `send` on every rank, `receive` only at the root
//   in place   the contribution lies in `receive`, where MPI_IN_PLACE puts it; `send` has length 0
struct BufferLengths {
  std::uint64_t send = 0;
  std::uint64_t receive = 0;
};
BufferLengths buffer_lengths(const Shape& shape, Rank rank);

// Whether the rank's own contribution lies in `receive` before the call.
bool contribution_in_place(const Shape& shape, Rank rank);

// Where the rank's own contribution lies before the call; of alltoall, its blocks for all ranks.
// REQUIRES: the collective is reduce, allreduce, allgather or alltoall.
Region contribution(const Shape& shape, Rank rank);

// What of the rank's user buffers holds data before the call; the rest holds nothing yet.
Region initial_data(const Shape& shape, Rank rank);

}  // namespace quadrille
