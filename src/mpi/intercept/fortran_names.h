// SPDX-License-Identifier: BSD-3-Clause
// The six names of a procedure in MPI's Fortran interfaces: four manglings of mpif.h and `use mpi`,
// of which a program's compiler knows one; and of mpi_f08 one with plain addresses and one with
// array descriptors.
#pragma once

// DO(Binding, symbol, ...) for each of them; Binding as in mpi/fortran_binding.h.
#define QUADRILLE_FORTRAN_NAMES(DO, lower, upper, ...) \
  DO(MpifH, "mpi_" lower, __VA_ARGS__);                \
  DO(MpifH, "mpi_" lower "_", __VA_ARGS__);            \
  DO(MpifH, "mpi_" lower "__", __VA_ARGS__);           \
  DO(MpifH, "MPI_" upper, __VA_ARGS__);                \
  DO(MpiF08, "mpi_" lower "_f08_", __VA_ARGS__);       \
  DO(MpiF08WithDescriptors, "mpi_" lower "_f08ts_", __VA_ARGS__)
