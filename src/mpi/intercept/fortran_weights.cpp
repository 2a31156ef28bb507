// SPDX-License-Identifier: BSD-3-Clause
// Source: Open MPI's mpif-constants-decl.h (common blocks mpi_fortran_unweighted,
// mpi_fortran_weights_empty); MPICH's mpif.h (common blocks MPIFCMB5, MPIFCMB9, to which its C side
// keeps pointers) and the module variables of mpi_f08_link_constants.f90, under the manglings of
// gfortran, ifx and flang.
#include "mpi/intercept/fortran_weights.h"

#include <dlfcn.h>

#include <array>
#include <initializer_list>
#include <string>

namespace quadrille {
namespace {

const void* first_of(std::initializer_list<std::string> symbols) {
  for (const std::string& symbol : symbols) {
    if (const void* found = dlsym(RTLD_DEFAULT, symbol.c_str()); found != nullptr) return found;
  }
  return nullptr;
}

const void* common_block(const std::string& lower, const std::string& upper) {
  return first_of({lower + "_", lower, lower + "__", upper});
}

const void* mpich_variable(FortranInterface interface, const std::string& lower,
                           const std::string& upper, const std::string& block) {
  if (interface == FortranInterface::mpi_f08) {
    return first_of({"__mpi_f08_link_constants_MOD_" + lower,
                     "mpi_f08_link_constants_mp_" + lower + "_",
                     "_QMmpi_f08_link_constantsE" + lower});
  }
  // Set once MPICH's Fortran part has initialised itself.
  if (const void* pointer = first_of({"MPIR_F_" + upper}); pointer != nullptr) {
    if (const void* kept = *static_cast<const void* const*>(pointer); kept != nullptr) return kept;
  }
  return common_block(block, block);
}

}  // namespace

FortranWeights::FortranWeights(FortranInterface interface)
    : unweighted_(common_block("mpi_fortran_unweighted", "MPI_FORTRAN_UNWEIGHTED")),
      empty_(common_block("mpi_fortran_weights_empty", "MPI_FORTRAN_WEIGHTS_EMPTY")) {
  // As for the other constants: a Fortran part out of the global scope has variables of its own.
  if (FortranConstants::of(interface) == nullptr) {
    unweighted_ = empty_ = nullptr;
  } else if (unweighted_ == nullptr) {
    unweighted_ = mpich_variable(interface, "mpi_unweighted", "MPI_UNWEIGHTED", "mpifcmb5");
    empty_ = mpich_variable(interface, "mpi_weights_empty", "MPI_WEIGHTS_EMPTY", "mpifcmb9");
  }
}

const FortranWeights& FortranWeights::of(FortranInterface interface) {
  static const std::array found{FortranWeights(FortranInterface::mpif_h),
                                FortranWeights(FortranInterface::mpi_f08)};
  return found[static_cast<std::size_t>(interface)];
}

}  // namespace quadrille
