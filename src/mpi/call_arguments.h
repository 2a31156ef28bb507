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

// The arrays of a v-call, one entry a rank: ints, or MPI_Count and MPI_Aint in large-count calls.
struct UserBlocks {
  void* address = nullptr;  // may be MPI_IN_PLACE
  const void* counts = nullptr;
  const void* displacements = nullptr;  // null: none, one block behind the other
  const MPI_Datatype* types = nullptr;  // one for all, or one a rank
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
  MPI_Datatype type(Rank rank) const { return types[type_a_rank ? rank : 0]; }
};

struct CallArguments {
  Collective collective = Collective::barrier;
  const char* name = "";  // of the MPI function
  MPI_Comm comm = MPI_COMM_NULL;
  UserBuffer send;     // address may be MPI_IN_PLACE
  UserBuffer receive;  // of bcast: the user's one buffer
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  UserBlocks send_blocks{};     // of alltoallv and scatterv; of reduce_scatter only the counts
  UserBlocks receive_blocks{};  // of allgatherv, gatherv and alltoallv
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

inline CallArguments gather_arguments(UserBuffer send, UserBuffer receive, int root,
                                      MPI_Comm comm) {
  return {Collective::gather, "MPI_Gather", comm, send, receive, MPI_OP_NULL, root};
}

inline CallArguments scatter_arguments(UserBuffer send, UserBuffer receive, int root,
                                       MPI_Comm comm) {
  return {Collective::scatter, "MPI_Scatter", comm, send, receive, MPI_OP_NULL, root};
}

inline CallArguments reduce_scatter_block_arguments(const void* send, void* receive,
                                                    MPI_Count count, MPI_Datatype type, MPI_Op op,
                                                    MPI_Comm comm) {
  return {Collective::reduce_scatter_block,       "MPI_Reduce_scatter_block", comm,
          {const_cast<void*>(send), count, type}, {receive, count, type},     op};
}

inline CallArguments scan_arguments(const void* send, void* receive, MPI_Count count,
                                    MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return {Collective::scan,       "MPI_Scan", comm, {const_cast<void*>(send), count, type},
          {receive, count, type}, op};
}

inline CallArguments exscan_arguments(const void* send, void* receive, MPI_Count count,
                                      MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return {Collective::exscan,
          "MPI_Exscan",
          comm,
          {const_cast<void*>(send), count, type},
          {receive, count, type},
          op};
}

inline CallArguments allgatherv_arguments(UserBuffer send, const UserBlocks& receive,
                                          MPI_Comm comm) {
  return {Collective::allgatherv, "MPI_Allgatherv", comm, send, {}, MPI_OP_NULL, 0, {}, receive};
}

inline CallArguments gatherv_arguments(UserBuffer send, const UserBlocks& receive, int root,
                                       MPI_Comm comm) {
  return {Collective::gatherv, "MPI_Gatherv", comm, send, {}, MPI_OP_NULL, root, {}, receive};
}

inline CallArguments scatterv_arguments(const UserBlocks& send, UserBuffer receive, int root,
                                        MPI_Comm comm) {
  return {Collective::scatterv, "MPI_Scatterv", comm, {}, receive, MPI_OP_NULL, root, send};
}

inline CallArguments alltoallv_arguments(const UserBlocks& send, const UserBlocks& receive,
                                         MPI_Comm comm) {
  const char* name = receive.type_a_rank ? "MPI_Alltoallw" : "MPI_Alltoallv";
  return {Collective::alltoallv, name, comm, {}, {}, MPI_OP_NULL, 0, send, receive};
}

// `counts` has an entry for each rank's block; `send` and `receive` have count 0.
inline CallArguments reduce_scatter_arguments(UserBuffer send, UserBuffer receive,
                                              const UserBlocks& counts, MPI_Op op, MPI_Comm comm) {
  return {Collective::reduce_scatter, "MPI_Reduce_scatter", comm, send, receive, op, 0, counts};
}

}  // namespace quadrille
