// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries of the collectives: mpif.h and `use mpi` under four manglings, mpi_f08 with
// plain addresses
// (`_f08_`) and with array descriptors (`_f08ts_`). Each turns its arguments into C's and goes on
// as the C entry does. Where an argument is not understood the call goes on outside of any
// CollectiveCall: libraries that take descriptors call the C entry next.
#include <mpi.h>

#include "mpi/collective_call.h"
#include "mpi/fortran_binding.h"
#include "mpi/fortran_handles.h"
#include "mpi/next.h"
#include "mpi/symbols.h"

namespace quadrille {
namespace {

template <typename Binding, SymbolName symbol>
struct Barrier {
  static void entry(Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(comm, error);
    };
    take_over<Binding>(NoBuffer{}, NoBuffer{}, error, forward,
                       [&](void*, void*) { return barrier_arguments(communicator_of(comm)); });
  }
};

template <typename Binding, SymbolName symbol>
struct Bcast {
  static void entry(Choice buffer, Integer count, Integer type, Integer root, Integer comm,
                    int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(buffer, count, type, root, comm,
                                                                error);
    };
    take_over<Binding>(NoBuffer{}, buffer, error, forward, [&](void*, void* message) {
      return bcast_arguments(message, *count, datatype_of(type), *root, communicator_of(comm));
    });
  }
};

template <typename Binding, SymbolName symbol>
struct Reduce {
  static void entry(Choice send, Choice receive, Integer count, Integer type, Integer op,
                    Integer root, Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(send, receive, count, type, op,
                                                                root, comm, error);
    };
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      return reduce_arguments(from, into, *count, datatype_of(type), operation_of(op), *root,
                              communicator_of(comm));
    });
  }
};

// The reductions without a root differ in nothing but the name.
using ReductionArguments = CallArguments (*)(const void* send, void* receive, MPI_Count count,
                                             MPI_Datatype type, MPI_Op op, MPI_Comm comm);

template <typename Binding, SymbolName symbol, ReductionArguments arguments>
struct Reduction {
  static void entry(Choice send, Choice receive, Integer count, Integer type, Integer op,
                    Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(send, receive, count, type, op,
                                                                comm, error);
    };
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      return arguments(from, into, *count, datatype_of(type), operation_of(op),
                       communicator_of(comm));
    });
  }
};

template <typename Binding, SymbolName symbol>
struct Allreduce : Reduction<Binding, symbol, allreduce_arguments> {};

template <typename Binding, SymbolName symbol>
struct ReduceScatterBlock : Reduction<Binding, symbol, reduce_scatter_block_arguments> {};

template <typename Binding, SymbolName symbol>
struct Scan : Reduction<Binding, symbol, scan_arguments> {};

template <typename Binding, SymbolName symbol>
struct Exscan : Reduction<Binding, symbol, exscan_arguments> {};

// Allgather and alltoall differ in nothing but the name.
using BlockArguments = CallArguments (*)(UserBuffer send, UserBuffer receive, MPI_Comm comm);

template <typename Binding, SymbolName symbol, BlockArguments arguments>
struct FortranBlocks {
  static void entry(Choice send, Integer send_count, Integer send_type, Choice receive,
                    Integer receive_count, Integer receive_type, Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          send, send_count, send_type, receive, receive_count, receive_type, comm, error);
    };
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      return arguments({from, *send_count, datatype_of(send_type)},
                       {into, *receive_count, datatype_of(receive_type)}, communicator_of(comm));
    });
  }
};

template <typename Binding, SymbolName symbol>
struct Allgather : FortranBlocks<Binding, symbol, allgather_arguments> {};

template <typename Binding, SymbolName symbol>
struct Alltoall : FortranBlocks<Binding, symbol, alltoall_arguments> {};

// So do gather and scatter.
using RootedBlockArguments = CallArguments (*)(UserBuffer send, UserBuffer receive, int root,
                                               MPI_Comm comm);

template <typename Binding, SymbolName symbol, RootedBlockArguments arguments>
struct RootedBlocks {
  static void entry(Choice send, Integer send_count, Integer send_type, Choice receive,
                    Integer receive_count, Integer receive_type, Integer root, Integer comm,
                    int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          send, send_count, send_type, receive, receive_count, receive_type, root, comm, error);
    };
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      return arguments({from, *send_count, datatype_of(send_type)},
                       {into, *receive_count, datatype_of(receive_type)}, *root,
                       communicator_of(comm));
    });
  }
};

template <typename Binding, SymbolName symbol>
struct Gather : RootedBlocks<Binding, symbol, gather_arguments> {};

template <typename Binding, SymbolName symbol>
struct Scatter : RootedBlocks<Binding, symbol, scatter_arguments> {};

}  // namespace

void add_fortran_collective_symbols(SymbolTable& table) {
  QUADRILLE_ADD_FORTRAN(Barrier, "barrier", "BARRIER");
  QUADRILLE_ADD_FORTRAN(Bcast, "bcast", "BCAST");
  QUADRILLE_ADD_FORTRAN(Reduce, "reduce", "REDUCE");
  QUADRILLE_ADD_FORTRAN(Allreduce, "allreduce", "ALLREDUCE");
  QUADRILLE_ADD_FORTRAN(Allgather, "allgather", "ALLGATHER");
  QUADRILLE_ADD_FORTRAN(Alltoall, "alltoall", "ALLTOALL");
  QUADRILLE_ADD_FORTRAN(Gather, "gather", "GATHER");
  QUADRILLE_ADD_FORTRAN(Scatter, "scatter", "SCATTER");
  QUADRILLE_ADD_FORTRAN(ReduceScatterBlock, "reduce_scatter_block", "REDUCE_SCATTER_BLOCK");
  QUADRILLE_ADD_FORTRAN(Scan, "scan", "SCAN");
  QUADRILLE_ADD_FORTRAN(Exscan, "exscan", "EXSCAN");
}

}  // namespace quadrille
