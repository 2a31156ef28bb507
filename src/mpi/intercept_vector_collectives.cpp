// SPDX-License-Identifier: BSD-3-Clause
// The C entries of the v-calls, with int counts and displacements and, for MPI 4, with MPI_Count
// and MPI_Aint.
#include <mpi.h>

#include <type_traits>

#include "mpi/collective_call.h"
#include "mpi/next.h"
#include "mpi/symbols.h"

namespace quadrille {
namespace {

template <typename Count>
using Displacement = std::conditional_t<std::is_same_v<Count, int>, int, MPI_Aint>;

template <typename Count>
UserBlocks blocks(const void* address, const Count* counts,
                  const Displacement<Count>* displacements, const MPI_Datatype* type,
                  bool type_a_rank = false) {
  return {const_cast<void*>(address),  counts,     displacements, type,
          !std::is_same_v<Count, int>, type_a_rank};
}

template <typename Count, SymbolName symbol>
int allgatherv(const void* send, Count send_count, MPI_Datatype send_type, void* receive,
               const Count* counts, const Displacement<Count>* displacements,
               MPI_Datatype receive_type, MPI_Comm comm) {
  CollectiveCall call(allgatherv_arguments({const_cast<void*>(send), send_count, send_type},
                                           blocks(receive, counts, displacements, &receive_type),
                                           comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&allgatherv<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(
      next(send, send_count, send_type, receive, counts, displacements, receive_type, comm));
}

template <typename Count, SymbolName symbol>
int gatherv(const void* send, Count send_count, MPI_Datatype send_type, void* receive,
            const Count* counts, const Displacement<Count>* displacements,
            MPI_Datatype receive_type, int root, MPI_Comm comm) {
  CollectiveCall call(gatherv_arguments({const_cast<void*>(send), send_count, send_type},
                                        blocks(receive, counts, displacements, &receive_type), root,
                                        comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&gatherv<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(
      next(send, send_count, send_type, receive, counts, displacements, receive_type, root, comm));
}

template <typename Count, SymbolName symbol>
int scatterv(const void* send, const Count* counts, const Displacement<Count>* displacements,
             MPI_Datatype send_type, void* receive, Count receive_count, MPI_Datatype receive_type,
             int root, MPI_Comm comm) {
  CollectiveCall call(scatterv_arguments(blocks(send, counts, displacements, &send_type),
                                         {receive, receive_count, receive_type}, root, comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&scatterv<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(next(send, counts, displacements, send_type, receive, receive_count,
                             receive_type, root, comm));
}

template <typename Count, SymbolName symbol>
int alltoallv(const void* send, const Count* send_counts,
              const Displacement<Count>* send_displacements, MPI_Datatype send_type, void* receive,
              const Count* receive_counts, const Displacement<Count>* receive_displacements,
              MPI_Datatype receive_type, MPI_Comm comm) {
  CollectiveCall call(alltoallv_arguments(
      blocks(send, send_counts, send_displacements, &send_type),
      blocks(receive, receive_counts, receive_displacements, &receive_type), comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&alltoallv<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(next(send, send_counts, send_displacements, send_type, receive,
                             receive_counts, receive_displacements, receive_type, comm));
}

template <typename Count, SymbolName symbol>
int alltoallw(const void* send, const Count* send_counts,
              const Displacement<Count>* send_displacements, const MPI_Datatype* send_types,
              void* receive, const Count* receive_counts,
              const Displacement<Count>* receive_displacements, const MPI_Datatype* receive_types,
              MPI_Comm comm) {
  CollectiveCall call(alltoallv_arguments(
      blocks(send, send_counts, send_displacements, send_types, true),
      blocks(receive, receive_counts, receive_displacements, receive_types, true), comm));
  if (call.replaced()) return call.execute();
  const auto next = reinterpret_cast<decltype(&alltoallw<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(next(send, send_counts, send_displacements, send_types, receive,
                             receive_counts, receive_displacements, receive_types, comm));
}

template <typename Count, SymbolName symbol>
int reduce_scatter(const void* send, void* receive, const Count* counts, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm) {
  CollectiveCall call(
      reduce_scatter_arguments({const_cast<void*>(send), 0, type}, {receive, 0, type},
                               blocks<Count>(nullptr, counts, nullptr, &type), op, comm));
  if (call.replaced()) return call.execute();
  const auto next =
      reinterpret_cast<decltype(&reduce_scatter<Count, symbol>)>(next_symbol<symbol>());
  return call.forwarded(next(send, receive, counts, type, op, comm));
}

}  // namespace

void add_vector_collective_symbols(SymbolTable& table) {
#define ADD_ONE(entry, Count, symbol) table[symbol] = reinterpret_cast<void*>(&entry<Count, symbol>)
#define ADD(entry, symbol)                 \
  ADD_ONE(entry, int, #symbol);            \
  ADD_ONE(entry, int, "P" #symbol);        \
  ADD_ONE(entry, MPI_Count, #symbol "_c"); \
  ADD_ONE(entry, MPI_Count, "P" #symbol "_c")
  ADD(allgatherv, MPI_Allgatherv);
  ADD(gatherv, MPI_Gatherv);
  ADD(scatterv, MPI_Scatterv);
  ADD(alltoallv, MPI_Alltoallv);
  ADD(alltoallw, MPI_Alltoallw);
  ADD(reduce_scatter, MPI_Reduce_scatter);
#undef ADD
#undef ADD_ONE
}

}  // namespace quadrille
