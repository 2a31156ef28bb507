// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a collective call as the user gave them, in one form for all collectives and
// bindings.
#pragma once

#include <mpi.h>

#include "schedule/collective.h"

namespace quadrille {

// `count` is what the MPI call takes: the whole buffer, or one rank's block of allgather and
// alltoall.
struct UserBuffer {
  void* address = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

struct CallArguments {
  Collective collective = Collective::barrier;
  const char* name = "";  // of the MPI function
  MPI_Comm comm = MPI_COMM_NULL;
  UserBuffer send;     // address may be MPI_IN_PLACE
  UserBuffer receive;  // of bcast: the user's one buffer
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
};

inline CallArguments barrier_arguments(MPI_Comm comm) {
  return {Collective::barrier, "MPI_Barrier", comm, {}, {}};
}

inline CallArguments bcast_arguments(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                                     MPI_Comm comm) {
  return {Collective::bcast, "MPI_Bcast", comm, {}, {buffer, count, type}, MPI_OP_NULL, root};
}

inline CallArguments reduce_arguments(const void* send, void* receive, MPI_Count count,
                                      MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return {Collective::reduce,     "MPI_Reduce", comm, {const_cast<void*>(send), count, type},
          {receive, count, type}, op,           root};
}

inline CallArguments allreduce_arguments(const void* send, void* receive, MPI_Count count,
                                         MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return {Collective::allreduce,
          "MPI_Allreduce",
          comm,
          {const_cast<void*>(send), count, type},
          {receive, count, type},
          op};
}

inline CallArguments allgather_arguments(UserBuffer send, UserBuffer receive, MPI_Comm comm) {
  return {Collective::allgather, "MPI_Allgather", comm, send, receive};
}

inline CallArguments alltoall_arguments(UserBuffer send, UserBuffer receive, MPI_Comm comm) {
  return {Collective::alltoall, "MPI_Alltoall", comm, send, receive};
}

}  // namespace quadrille
