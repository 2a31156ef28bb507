// SPDX-License-Identifier: BSD-3-Clause
// The collectives the kernel can time: one row each with its two entry points (`MPI_X`, which an
// interposed library may take over, and `PMPI_X`, always the MPI library), its buffers, and how to
// fill and check them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bench/kernels/sort_size.h"
#include "apps/bench/pattern.h"
#include "base/units.h"

namespace quadrille::bench {

enum class Side : std::uint8_t { native, library };

struct Integrated;  // of a program's step that goes on from call to call

// One shape of a collective on one communicator, with its buffers.
struct Call {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
  int root = 0;
  bool in_place = false;
  ElementType type = ElementType::byte;
  int count = 0;  // elements of the row's unit of size
  MPI_Datatype datatype = MPI_BYTE;
  MPI_Op operation = MPI_OP_NULL;
  std::vector<std::byte> send;
  std::vector<std::byte> receive;
  std::vector<int> send_counts, send_offsets, receive_counts,
      receive_offsets;  // of vector collectives
  double computing_scale = 1;
  std::shared_ptr<Integrated> integrated;  // of N-body steps
  SortSize sort;                           // of parts of a parallel sort
  // Told between the MPI calls of a program's step, of which it can ask the latest only.
  std::function<void()> made_one;

  std::size_t block_bytes() const { return static_cast<std::size_t>(count) * size_of(type); }
  bool is_root() const { return rank == root; }
  const void* send_argument(bool in_place_here) const {
    return in_place_here ? MPI_IN_PLACE : send.data();
  }
};

// Where the last receipt of a rooted operation happens; decides which ends count for root start ->
// last receipt.
enum class Receipt : std::uint8_t { unrooted, at_others, at_root };

struct Operation {
  const char* name;
  const char* bytes_meaning;
  Receipt receipt;
  bool reduces;
  bool has_in_place;
  int (*library)(Call&);
  int (*native)(Call&);
  // Sizes the buffers of `call`.
  void (*prepare)(Call&);
  // Writes this rank's contribution to call `number`.
  void (*fill)(Call&, std::uint64_t number);
  // Whether this rank got what call `number` had to bring it.
  bool (*check)(const Call&, std::uint64_t number);
  // Of parts of a parallel sort, whose bytes a pair of ranks follow from its size. nullptr: any
  // number of bytes will do.
  std::uint64_t (*sort_pair_bytes)(const SortSize&) = nullptr;

  // Its communicator has the topology of torus_of().
  bool on_torus = false;

  bool is_of_sort() const { return sort_pair_bytes != nullptr; }
};

const std::vector<Operation>& operations();
// nullptr if there is none of that name.
const Operation* operation_named(std::string_view name);

struct Shape {
  std::uint64_t bytes = 0;
  ElementType type =
      ElementType::byte;  // bytes are carried as `byte` where they are no multiple of the type
  int root = 0;
  bool in_place = false;
  double computing_scale = 1;  // of timed computing
  SortSize sort = {};
};

// Elements between two ranks, or of one and 0, of a vector collective: half of `count`, all of it,
// or half as much again. Symmetric, because MPI_IN_PLACE asks for it.
int uneven_count(int count, int one, int other);
// Bytes of the blocks of a v-operation's call, as BoundedCall has them; nothing of others.
std::function<std::uint64_t(Rank from, Rank to)> block_bytes_of(const Operation& operation,
                                                                int count, std::size_t type_bytes,
                                                                int ranks);

// Whether MPI's counts, which are ints, hold what a call of `bytes` has of elements.
bool fits_in_counts(const Operation& operation, std::uint64_t bytes, ElementType type, int ranks);

// Builds the call of `shape` on `communicator`, buffers included. REQUIRES: fits_in_counts().
Call make_call(const Operation& operation, const Shape& shape, MPI_Comm communicator);

}  // namespace quadrille::bench
