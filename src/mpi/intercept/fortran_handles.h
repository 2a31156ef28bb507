// SPDX-License-Identifier: BSD-3-Clause
// Fortran's integer handles in C. Both Fortran interfaces pass the address of one INTEGER:
// TYPE(MPI_Comm) of mpi_f08 holds nothing else.
#pragma once

#include <mpi.h>

#include "mpi/job/runtime.h"

namespace quadrille {

#ifdef MPI_ABI_VERSION  // the standard ABI knows no MPI_Fint
inline MPI_Comm communicator_of(const int* handle) { return PMPI_Comm_fromint(*handle); }
inline int fortran_handle_of(MPI_Comm communicator) { return PMPI_Comm_toint(communicator); }
inline MPI_Datatype datatype_of(const int* handle) { return PMPI_Type_fromint(*handle); }
inline MPI_Op operation_of(const int* handle) { return PMPI_Op_fromint(*handle); }
inline MPI_Request request_of(const int* handle) { return PMPI_Request_fromint(*handle); }
inline int fortran_request_of(MPI_Request request) { return PMPI_Request_toint(request); }
#else
inline MPI_Comm communicator_of(const int* handle) { return PMPI_Comm_f2c(*handle); }
inline int fortran_handle_of(MPI_Comm communicator) { return PMPI_Comm_c2f(communicator); }
inline MPI_Datatype datatype_of(const int* handle) { return PMPI_Type_f2c(*handle); }
inline MPI_Op operation_of(const int* handle) { return PMPI_Op_f2c(*handle); }
inline MPI_Request request_of(const int* handle) { return PMPI_Request_f2c(*handle); }
inline int fortran_request_of(MPI_Request request) { return PMPI_Request_c2f(request); }
#endif

// Whether Quadrille is at work and the MPI library's INTEGER is the int that is read here;
// libraries for programs built with 8-byte default integers exist, and their calls are left alone.
inline bool fortran_is_readable() {
  if (Runtime::active() == nullptr) return false;
  static const bool readable = [] {
    int bytes = 0;
    return PMPI_Type_size(MPI_INTEGER, &bytes) == MPI_SUCCESS && bytes == sizeof(int);
  }();
  return readable;
}

}  // namespace quadrille
