// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a collective call as the user gave them, in one form for all collectives and
// bindings.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/communicator/neighbourhood.h"
#include "schedule/collective.h"

namespace quadrille {

// `count` is what the MPI call takes: the whole buffer, or one rank's block of calls that have
// such.
struct UserBuffer {
  void* address = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// Where a buffer's blocks lie.
enum class Placing : std::uint8_t {
  by_arrays,
  in_a_row,  // blocks of one length, one behind the other
  at_once,   // all are the same one: what is sent to all neighbours
};

// The blocks of a vector collective, one a rank, or in neighbourhood collectives one an edge of the
// topology. The arrays hold ints, or MPI_Count and MPI_Aint in large-count calls.
struct UserBlocks {
  void* address = nullptr;  // may be MPI_IN_PLACE
  const void* counts = nullptr;
  const void* displacements = nullptr;  // null: none, one block behind the other
  MPI_Datatype one_type = MPI_DATATYPE_NULL;
  const MPI_Datatype* types = nullptr;  // one a block, where `type_a_block`
  bool large = false;
  bool type_a_block = false;   // alltoallw: displacements are in bytes then
  bool has_addresses = false;  // displacements are MPI_Aint in all calls
  Placing placing = Placing::by_arrays;
  MPI_Count one_count = 0;                             // where no arrays say it
  const std::vector<Neighbour>* neighbours = nullptr;  // null: there is one a rank

  // How many mean something, of a communicator of `ranks`; the rest asks for those by number.
  Rank number(Rank ranks) const {
    return neighbours == nullptr ? ranks : static_cast<Rank>(neighbours->size());
  }
  MPI_Count count(Rank number) const {
    if (placing != Placing::by_arrays) return one_count;
    const std::size_t at = place(number);
    return large ? static_cast<const MPI_Count*>(counts)[at] : static_cast<const int*>(counts)[at];
  }
  MPI_Aint displacement(Rank number) const {
    const std::size_t at = place(number);
    if (placing == Placing::at_once) return 0;
    if (placing == Placing::in_a_row) return static_cast<MPI_Aint>(at) * one_count;
    return large || has_addresses ? static_cast<const MPI_Aint*>(displacements)[at]
                                  : static_cast<const int*>(displacements)[at];
  }
  MPI_Datatype type(Rank number) const { return type_a_block ? types[place(number)] : one_type; }
  // Its place in the arrays.
  std::size_t place(Rank number) const {
    const auto at = static_cast<std::size_t>(number);
    return neighbours == nullptr ? at : static_cast<std::size_t>((*neighbours)[at].block);
  }
};

// Which sides of a collective's calls are blocks; others are one buffer.
constexpr bool has_send_blocks(Collective collective) {
  return collective == Collective::scatterv || collective == Collective::alltoallv ||
         collective == Collective::neighbor_alltoallv;
}
constexpr bool has_receive_blocks(Collective collective) {
  return collective == Collective::allgatherv || collective == Collective::gatherv ||
         collective == Collective::alltoallv || collective == Collective::neighbor_alltoallv;
}

struct CallArguments {
  Collective collective = Collective::barrier;
  const char* name = "";  // of the MPI function
  MPI_Comm comm = MPI_COMM_NULL;
  UserBuffer send{};     // address may be MPI_IN_PLACE
  UserBuffer receive{};  // of bcast: the user's one buffer
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  // Of alltoallv, scatterv and neighbours; of reduce_scatter only the counts.
  UserBlocks send_blocks{};
  UserBlocks receive_blocks{};  // of allgatherv, gatherv, alltoallv and neighbours

  // `neighbours` outlives this.
  void use(const Neighbourhood& neighbours) {
    send_blocks.neighbours = &neighbours.targets;
    receive_blocks.neighbours = &neighbours.sources;
  }
};

}  // namespace quadrille
