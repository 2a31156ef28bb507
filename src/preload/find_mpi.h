/* SPDX-License-Identifier: BSD-3-Clause
 * Finds the MPI library of this process, also where a module loaded it for itself alone
 * (RTLD_LOCAL, as Python does with mpi4py). */
#ifndef QUADRILLE_PRELOAD_FIND_MPI_H
#define QUADRILLE_PRELOAD_FIND_MPI_H

enum quadrille_abi {
  QUADRILLE_ABI_NONE,
  QUADRILLE_ABI_OMPI,
  QUADRILLE_ABI_MPICH,
  QUADRILLE_ABI_STANDARD
};

struct quadrille_mpi {
  enum quadrille_abi abi;
  void* handle;    /* of dlopen: its symbols are global from then on */
  char path[4096]; /* of the library's file */
};

/* abi is QUADRILLE_ABI_NONE where the process has no MPI library. */
struct quadrille_mpi quadrille_find_mpi(void);

/* The definition of `symbol` in any loaded part of the MPI library, such as its Fortran library:
 * out of the dynamic linker's ordinary sight where a Python module brought it along. NULL if there
 * is none. */
void* quadrille_find_in_any_part(const char* symbol);

#endif
