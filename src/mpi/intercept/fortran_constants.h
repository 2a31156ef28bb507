// SPDX-License-Identifier: BSD-3-Clause
// The addresses that Fortran programs pass for MPI_IN_PLACE and MPI_BOTTOM: variables of the MPI
// library's Fortran part, elsewhere than C's constants. An address that went unrecognised would be
// taken for a buffer and give wrong results, so where they cannot be found the Fortran collectives
// are left to the MPI library.
//
// Source: Open MPI's mpif-c-constants-decl.h (common blocks); MPICH's mpif.h (common block
// MPIPRIV1), mpi_f08_link_constants.f90 (bind(C) variables). Found at run time, so nothing here
// depends on a Fortran compiler.
#pragma once

namespace quadrille {

enum class FortranInterface { mpif_h, mpi_f08 };  // `use mpi` is like mpif.h

class FortranConstants {
 public:
  // Null where this process has no Fortran part of an MPI library, or one of another kind.
  static const FortranConstants* of(FortranInterface interface);

  // What C passes for `address`.
  void* in_c(void* address) const;

 private:
  FortranConstants(const void* in_place, const void* bottom)
      : in_place_(in_place), bottom_(bottom) {}
  static const FortranConstants* find(FortranInterface interface);

  const void* in_place_;
  const void* bottom_;
};

}  // namespace quadrille
