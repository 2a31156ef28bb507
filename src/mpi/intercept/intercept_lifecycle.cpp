// SPDX-License-Identifier: BSD-3-Clause
// The C entries that begin MPI and that create intra-communicators.
#include <mpi.h>

#include "mpi/communicator/attachment.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

template <bool profiling>
int init(int* argc, char*** argv) {
  const int code = NEXT_OF(profiling, MPI_Init)(argc, argv);
  if (code == MPI_SUCCESS) Runtime::start();
  return code;
}

template <bool profiling>
int init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = NEXT_OF(profiling, MPI_Init_thread)(argc, argv, required, provided);
  if (code == MPI_SUCCESS) Runtime::start();
  return code;
}

template <bool profiling>
int comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return attached(NEXT_OF(profiling, MPI_Comm_dup)(comm, made), made);
}

template <bool profiling>
int comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return attached(NEXT_OF(profiling, MPI_Comm_dup_with_info)(comm, info, made), made);
}

template <bool profiling>
int comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return attached(NEXT_OF(profiling, MPI_Comm_create)(comm, group, made), made);
}

template <bool profiling>
int comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  return attached(NEXT_OF(profiling, MPI_Comm_create_group)(comm, group, tag, made), made);
}

template <bool profiling>
int comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return attached(NEXT_OF(profiling, MPI_Comm_split)(comm, color, key, made), made);
}

template <bool profiling>
int comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* made) {
  return attached(NEXT_OF(profiling, MPI_Comm_split_type)(comm, split_type, key, info, made), made);
}

template <bool profiling>
int cart_sub(MPI_Comm comm, const int remaining[], MPI_Comm* made) {
  return attached(NEXT_OF(profiling, MPI_Cart_sub)(comm, remaining, made), made);
}

template <bool profiling>
int intercomm_merge(MPI_Comm comm, int high, MPI_Comm* made) {
  return attached(NEXT_OF(profiling, MPI_Intercomm_merge)(comm, high, made), made);
}

}  // namespace

void add_lifecycle_symbols(SymbolTable& table) {
#define ADD(symbol, function)                                 \
  table[#symbol] = reinterpret_cast<void*>(&function<false>); \
  table["P" #symbol] = reinterpret_cast<void*>(&function<true>)
  ADD(MPI_Init, init);
  ADD(MPI_Init_thread, init_thread);
  ADD(MPI_Comm_dup, comm_dup);
  ADD(MPI_Comm_dup_with_info, comm_dup_with_info);
  ADD(MPI_Comm_create, comm_create);
  ADD(MPI_Comm_create_group, comm_create_group);
  ADD(MPI_Comm_split, comm_split);
  ADD(MPI_Comm_split_type, comm_split_type);
  ADD(MPI_Cart_sub, cart_sub);
  ADD(MPI_Intercomm_merge, intercomm_merge);
#undef ADD
}

}  // namespace quadrille
