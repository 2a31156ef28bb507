// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a collective call as the user gave them, in one form for all collectives and
// bindings.
#pragma once

#include <mpi.h>

#include "schedule/collective.h"

namespace quadrille {

// `count` is what the MPI call takes: the whole buffer, or one rank's block of calls that have
// such.
struct UserBuffer {
  void* address = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// The arrays of a vector collective, one entry a rank: ints, or MPI_Count and MPI_Aint in
// large-count calls.
struct UserBlocks {
  void* address = nullptr;  // may be MPI_IN_PLACE
  const void* counts = nullptr;
  const void* displacements = nullptr;  // null: none, one block behind the other
  MPI_Datatype one_type = MPI_DATATYPE_NULL;
  const MPI_Datatype* types = nullptr;  // one a rank, where `type_a_rank`
  bool large = false;
  bool type_a_rank = false;  // alltoallw: displacements are in bytes then

  MPI_Count count(Rank rank) const {
    return large ? static_cast<const MPI_Count*>(counts)[rank]
                 : static_cast<const int*>(counts)[rank];
  }
  MPI_Aint displacement(Rank rank) const {
    return large ? static_cast<const MPI_Aint*>(displacements)[rank]
                 : static_cast<const int*>(displacements)[rank];
  }
  MPI_Datatype type(Rank rank) const { return type_a_rank ? types[rank] : one_type; }
};

struct CallArguments {
  Collective collective = Collective::barrier;
  const char* name = "";  // of the MPI function
  MPI_Comm comm = MPI_COMM_NULL;
  UserBuffer send{};     // address may be MPI_IN_PLACE
  UserBuffer receive{};  // of bcast: the user's one buffer
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  UserBlocks send_blocks{};     // of alltoallv and scatterv; of reduce_scatter only the counts
  UserBlocks receive_blocks{};  // of allgatherv, gatherv and alltoallv
};

}  // namespace quadrille
