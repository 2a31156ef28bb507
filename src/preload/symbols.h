/* SPDX-License-Identifier: BSD-3-Clause
 * How the preloaded libraries define MPI's symbols. */
#ifndef QUADRILLE_PRELOAD_SYMBOLS_H
#define QUADRILLE_PRELOAD_SYMBOLS_H

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Any parameter or result: see shim.c. */
typedef intptr_t word;

/* DO(symbol, ...) for each of the Fortran names of a procedure. */
#define FORTRAN_SYMBOLS(DO, lower, UPPER, ...) \
  DO(mpi_##lower, __VA_ARGS__)                 \
  DO(mpi_##lower##_, __VA_ARGS__)              \
  DO(mpi_##lower##__, __VA_ARGS__)             \
  DO(MPI_##UPPER, __VA_ARGS__)                 \
  DO(mpi_##lower##_f08_, __VA_ARGS__)          \
  DO(mpi_##lower##_f08ts_, __VA_ARGS__)

#endif
