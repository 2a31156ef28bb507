// SPDX-License-Identifier: BSD-3-Clause
// Looks the constants up in the global scope: an executable's copy of such a variable counts, not
// the library's own.
#include "mpi/intercept/fortran_constants.h"

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <string>

namespace quadrille {
namespace {

const char* global(const std::string& symbol) {
  return static_cast<const char*>(dlsym(RTLD_DEFAULT, symbol.c_str()));
}

// A common block or procedure under the manglings of Fortran compilers.
const char* mangled(const std::string& lower, const std::string& upper) {
  for (const std::string& name : {lower + "_", lower, lower + "__", upper}) {
    if (const char* found = global(name); found != nullptr) return found;
  }
  return nullptr;
}

// MPICH's C side keeps pointers to both once its Fortran part has initialised itself.
const char* kept_pointer(const char* symbol) {
  const char* variable = global(symbol);
  return variable == nullptr ? nullptr : *reinterpret_cast<const char* const*>(variable);
}

}  // namespace

const FortranConstants* FortranConstants::find(FortranInterface interface) {
  // Where a module has brought the Fortran part along out of the global scope (RTLD_LOCAL), it has
  // its own copy of the variables too, and one found in the global scope would be another.
  if (mangled("pmpi_init", "PMPI_INIT") == nullptr) return nullptr;
  const char* in_place = mangled("mpi_fortran_in_place", "MPI_FORTRAN_IN_PLACE");
  const char* bottom = mangled("mpi_fortran_bottom", "MPI_FORTRAN_BOTTOM");
  if (in_place == nullptr && interface == FortranInterface::mpi_f08) {
    in_place = global("MPIR_F08_MPI_IN_PLACE");
    bottom = global("MPIR_F08_MPI_BOTTOM");
  } else if (in_place == nullptr) {
    in_place = kept_pointer("MPIR_F_MPI_IN_PLACE");
    bottom = kept_pointer("MPIR_F_MPI_BOTTOM");
    // COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE, the first two of them INTEGER.
    if (const char* block = mangled("mpipriv1", "MPIPRIV1"); in_place == nullptr && block) {
      bottom = block;
      in_place = block + sizeof(int);
    }
  }
  if (in_place == nullptr || bottom == nullptr) return nullptr;
  return new FortranConstants(in_place, bottom);
}

const FortranConstants* FortranConstants::of(FortranInterface interface) {
  static const std::array found{find(FortranInterface::mpif_h), find(FortranInterface::mpi_f08)};
  return found[static_cast<std::size_t>(interface)];
}

void* FortranConstants::in_c(void* address) const {
  if (address == in_place_) return MPI_IN_PLACE;
  return address == bottom_ ? MPI_BOTTOM : address;
}

}  // namespace quadrille
