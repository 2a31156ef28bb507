// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries of the v-calls; see intercept_fortran_collectives.cpp. Counts and
// displacements are arrays of default INTEGERs, which fortran_is_readable() makes sure are ints.
// C's arguments point to types, which therefore live in the entries.
#include <mpi.h>

#include <new>
#include <vector>

#include "mpi/attachment.h"
#include "mpi/fortran_binding.h"
#include "mpi/fortran_handles.h"

namespace quadrille {
namespace {

template <typename Binding, SymbolName symbol>
struct Allgatherv {
  static void entry(Choice send, Integer send_count, Integer send_type, Choice receive,
                    Integer counts, Integer displacements, Integer receive_type, Integer comm,
                    int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          send, send_count, send_type, receive, counts, displacements, receive_type, comm, error);
    };
    MPI_Datatype type = MPI_DATATYPE_NULL;
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      type = datatype_of(receive_type);
      return allgatherv_arguments({from, *send_count, datatype_of(send_type)},
                                  {into, counts, displacements, &type, false, false},
                                  communicator_of(comm));
    });
  }
};

template <typename Binding, SymbolName symbol>
struct Gatherv {
  static void entry(Choice send, Integer send_count, Integer send_type, Choice receive,
                    Integer counts, Integer displacements, Integer receive_type, Integer root,
                    Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(send, send_count, send_type,
                                                                receive, counts, displacements,
                                                                receive_type, root, comm, error);
    };
    MPI_Datatype type = MPI_DATATYPE_NULL;
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      type = datatype_of(receive_type);
      return gatherv_arguments({from, *send_count, datatype_of(send_type)},
                               {into, counts, displacements, &type, false, false}, *root,
                               communicator_of(comm));
    });
  }
};

template <typename Binding, SymbolName symbol>
struct Scatterv {
  static void entry(Choice send, Integer counts, Integer displacements, Integer send_type,
                    Choice receive, Integer receive_count, Integer receive_type, Integer root,
                    Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(send, counts, displacements,
                                                                send_type, receive, receive_count,
                                                                receive_type, root, comm, error);
    };
    MPI_Datatype type = MPI_DATATYPE_NULL;
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      type = datatype_of(send_type);
      return scatterv_arguments({from, counts, displacements, &type, false, false},
                                {into, *receive_count, datatype_of(receive_type)}, *root,
                                communicator_of(comm));
    });
  }
};

template <typename Binding, SymbolName symbol>
struct Alltoallv {
  static void entry(Choice send, Integer send_counts, Integer send_displacements, Integer send_type,
                    Choice receive, Integer receive_counts, Integer receive_displacements,
                    Integer receive_type, Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          send, send_counts, send_displacements, send_type, receive, receive_counts,
          receive_displacements, receive_type, comm, error);
    };
    MPI_Datatype from_type = MPI_DATATYPE_NULL;
    MPI_Datatype into_type = MPI_DATATYPE_NULL;
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      into_type = datatype_of(receive_type);
      from_type = from == MPI_IN_PLACE ? into_type : datatype_of(send_type);
      return alltoallv_arguments(
          {from, send_counts, send_displacements, &from_type, false, false},
          {into, receive_counts, receive_displacements, &into_type, false, false},
          communicator_of(comm));
    });
  }
};

// The C handles of an array of handles, one for each entry of `types`.
void translate(Integer handles, std::vector<MPI_Datatype>& types) {
  for (std::size_t rank = 0; rank < types.size(); ++rank) types[rank] = datatype_of(handles + rank);
}

template <typename Binding, SymbolName symbol>
struct Alltoallw {
  static void entry(Choice send, Integer send_counts, Integer send_displacements,
                    Integer send_types, Choice receive, Integer receive_counts,
                    Integer receive_displacements, Integer receive_types, Integer comm,
                    int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          send, send_counts, send_displacements, send_types, receive, receive_counts,
          receive_displacements, receive_types, comm, error);
    };
    if (!fortran_is_readable()) return forward();
    const MPI_Comm communicator = communicator_of(comm);
    const Attachment* const attachment = Attachment::find(communicator);
    if (attachment == nullptr) return forward();
    std::vector<MPI_Datatype> from_types;
    std::vector<MPI_Datatype> into_types;
    try {
      from_types.resize(static_cast<std::size_t>(attachment->size()));
      into_types.resize(from_types.size());
    } catch (const std::bad_alloc&) {
      PMPI_Comm_call_errhandler(communicator, MPI_ERR_NO_MEM);
      if (error != nullptr) *error = MPI_ERR_NO_MEM;
      return;
    }
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      translate(receive_types, into_types);
      translate(from == MPI_IN_PLACE ? receive_types : send_types, from_types);
      return alltoallv_arguments(
          {from, send_counts, send_displacements, from_types.data(), false, true},
          {into, receive_counts, receive_displacements, into_types.data(), false, true},
          communicator);
    });
  }
};

template <typename Binding, SymbolName symbol>
struct ReduceScatter {
  static void entry(Choice send, Choice receive, Integer counts, Integer type, Integer op,
                    Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(send, receive, counts, type, op,
                                                                comm, error);
    };
    MPI_Datatype element = MPI_DATATYPE_NULL;
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      element = datatype_of(type);
      return reduce_scatter_arguments({from, 0, element}, {into, 0, element},
                                      {nullptr, counts, nullptr, &element, false, false},
                                      operation_of(op), communicator_of(comm));
    });
  }
};

}  // namespace

void add_fortran_vector_collective_symbols(SymbolTable& table) {
  QUADRILLE_ADD_FORTRAN(Allgatherv, "allgatherv", "ALLGATHERV");
  QUADRILLE_ADD_FORTRAN(Gatherv, "gatherv", "GATHERV");
  QUADRILLE_ADD_FORTRAN(Scatterv, "scatterv", "SCATTERV");
  QUADRILLE_ADD_FORTRAN(Alltoallv, "alltoallv", "ALLTOALLV");
  QUADRILLE_ADD_FORTRAN(Alltoallw, "alltoallw", "ALLTOALLW");
  QUADRILLE_ADD_FORTRAN(ReduceScatter, "reduce_scatter", "REDUCE_SCATTER");
}

}  // namespace quadrille
