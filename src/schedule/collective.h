// SPDX-License-Identifier: BSD-3-Clause
// The contract of each collective operation: which buffers a rank has, what is in them before, and
// what has to be in them afterwards. Every algorithm of a collective is checked against this one
// contract.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/units.h"
#include "schedule/blocks.h"
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
  gather,
  scatter,
  reduce_scatter_block,
  scan,
  exscan,
  allgatherv,
  gatherv,
  scatterv,
  alltoallv,  // MPI_Alltoallw too: where data are moved in packed form they are the same
  reduce_scatter,
  neighbor_alltoallv,  // all neighbourhood collectives: each rank's blocks and their peers are its
                       // own
};
// All of them, in this order.
std::span<const Collective> collectives();

const char* name_of(Collective collective);
std::optional<Collective> collective_named(std::string_view name);

// Whether the operation has a root, and whether it combines contributions with a reduction
// operator.
bool is_rooted(Collective collective);
bool is_reducing(Collective collective);

// Whether a rank is given LocalCounts beside the shape: its blocks differ in length, or in whom
// they are for.
bool has_counts(Collective collective);

// Whether MPI has an MPI_IN_PLACE for it that algorithms see; at the root alone where it has one.
bool may_be_in_place(Collective collective);

// Lengths, in elements, of a rank's user buffers. What MPI calls buffers maps to these two:
//   bcast      the user's one buffer is `receive` on every rank; the root's holds the data before
//   reduce     `send` on every rank, `receive` only at the root
//   gather     `receive` only at the root; scatter: `send` only at the root
//   exscan     no `receive` on rank 0, whose result is undefined
//   in place   the contribution lies in `receive`, where MPI_IN_PLACE puts it; `send` has length 0.
//              Scatter's root has no `receive` then: its block stays in `send`.
//              Reduce_scatter_block has all blocks in `receive`; the result replaces the first, the
//              others stay as they were.
struct BufferLengths {
  std::uint64_t send = 0;
  std::uint64_t receive = 0;
};
BufferLengths buffer_lengths(const Shape& shape, Rank rank, const LocalCounts& counts = {});

// Whether the rank's own contribution lies in `receive` before the call.
bool contribution_in_place(const Shape& shape, Rank rank);

// Where the rank's own contribution lies before the call; of alltoall and reduce_scatter_block and
// their vector collectives, its blocks for all ranks; of scatter, the root's for all ranks and
// nothing elsewhere. REQUIRES: the collective is neither barrier nor bcast.
Region contribution(const Shape& shape, Rank rank, const LocalCounts& counts = {});

// What of the rank's user buffers holds data before the call; the rest holds nothing yet.
Region initial_data(const Shape& shape, Rank rank, const LocalCounts& counts = {});

}  // namespace quadrille
