// SPDX-License-Identifier: BSD-3-Clause
// The C entries of the collectives, with int counts and, for MPI 4, with MPI_Count.
#include <mpi.h>

#include "mpi/collective_call.h"
#include "mpi/next.h"
#include "mpi/symbols.h"

namespace quadrille {
namespace {

// `symbol` is the entry's own name: that of the next definition, whose declaration older mpi.h lack
// for MPI_Count.

template <SymbolName symbol>
int barrier(MPI_Comm comm) {
  CollectiveCall call(barrier_arguments(comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&barrier<symbol>)>(next_symbol<symbol>());
  return call.forwarded(next(comm));
}

template <typename Count, SymbolName symbol>
int bcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  CollectiveCall call(bcast_arguments(buffer, count, type, root, comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&bcast<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(next(buffer, count, type, root, comm));
}

template <typename Count, SymbolName symbol>
int reduce(const void* send, void* receive, Count count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  CollectiveCall call(reduce_arguments(send, receive, count, type, op, root, comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&reduce<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(next(send, receive, count, type, op, root, comm));
}

template <typename Count, SymbolName symbol>
int allgather(const void* send, Count send_count, MPI_Datatype send_type, void* receive,
              Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  CollectiveCall call(allgather_arguments({const_cast<void*>(send), send_count, send_type},
                                          {receive, receive_count, receive_type}, comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&allgather<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(
      next(send, send_count, send_type, receive, receive_count, receive_type, comm));
}

template <typename Count, SymbolName symbol>
int alltoall(const void* send, Count send_count, MPI_Datatype send_type, void* receive,
             Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  CollectiveCall call(alltoall_arguments({const_cast<void*>(send), send_count, send_type},
                                         {receive, receive_count, receive_type}, comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&alltoall<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(
      next(send, send_count, send_type, receive, receive_count, receive_type, comm));
}

using RootedBlockArguments = CallArguments (*)(UserBuffer send, UserBuffer receive, int root,
                                               MPI_Comm comm);

template <typename Count, SymbolName symbol, RootedBlockArguments arguments>
int rooted_blocks(const void* send, Count send_count, MPI_Datatype send_type, void* receive,
                  Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  CollectiveCall call(arguments({const_cast<void*>(send), send_count, send_type},
                                {receive, receive_count, receive_type}, root, comm));
  if (call.replaced()) return call.execute();
  const auto next =
      reinterpret_cast<decltype(&rooted_blocks<Count, symbol, arguments>)>(next_symbol<symbol>());
  return call.forwarded(
      next(send, send_count, send_type, receive, receive_count, receive_type, root, comm));
}

using ReductionArguments = CallArguments (*)(const void* send, void* receive, MPI_Count count,
                                             MPI_Datatype type, MPI_Op op, MPI_Comm comm);

template <typename Count, SymbolName symbol, ReductionArguments arguments>
int reduction(const void* send, void* receive, Count count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  CollectiveCall call(arguments(send, receive, count, type, op, comm));
  if (call.replaced()) return call.execute();
  const auto next =
      reinterpret_cast<decltype(&reduction<Count, symbol, arguments>)>(next_symbol<symbol>());
  return call.forwarded(next(send, receive, count, type, op, comm));
}

}  // namespace

void add_collective_symbols(SymbolTable& table) {
  table["MPI_Barrier"] = reinterpret_cast<void*>(&barrier<"MPI_Barrier">);
  table["PMPI_Barrier"] = reinterpret_cast<void*>(&barrier<"PMPI_Barrier">);
#define ADD_ONE(entry, Count, symbol, ...) \
  table[symbol] = reinterpret_cast<void*>(&entry<Count, symbol __VA_OPT__(, ) __VA_ARGS__>)
#define ADD(entry, symbol, ...)                         \
  ADD_ONE(entry, int, #symbol, __VA_ARGS__);            \
  ADD_ONE(entry, int, "P" #symbol, __VA_ARGS__);        \
  ADD_ONE(entry, MPI_Count, #symbol "_c", __VA_ARGS__); \
  ADD_ONE(entry, MPI_Count, "P" #symbol "_c", __VA_ARGS__)
  ADD(bcast, MPI_Bcast);
  ADD(reduce, MPI_Reduce);
  ADD(allgather, MPI_Allgather);
  ADD(alltoall, MPI_Alltoall);
  ADD(rooted_blocks, MPI_Gather, gather_arguments);
  ADD(rooted_blocks, MPI_Scatter, scatter_arguments);
  ADD(reduction, MPI_Allreduce, allreduce_arguments);
  ADD(reduction, MPI_Reduce_scatter_block, reduce_scatter_block_arguments);
  ADD(reduction, MPI_Scan, scan_arguments);
  ADD(reduction, MPI_Exscan, exscan_arguments);
#undef ADD
#undef ADD_ONE
}

}  // namespace quadrille
