/* SPDX-License-Identifier: BSD-3-Clause
 * The datatypes, operations and communicators that collectives are tried with. */
#ifndef QUADRILLE_TEST_TYPES_H
#define QUADRILLE_TEST_TYPES_H

#include <mpi.h>

#include "area.h"

struct type_case {
  const char* name;
  MPI_Datatype type;
  int ints; /* integers in one element, where it has nothing else; else 0 */
};

struct reduction_case {
  const char* name;
  MPI_Datatype type;
  MPI_Op op;
  enum contents contents;
};

struct communicator_case {
  char name[32];
  MPI_Comm comm; /* MPI_COMM_NULL where this rank is not in it */
};

#define MOST_CASES 32

int make_types(struct type_case cases[MOST_CASES]);
int make_reductions(struct reduction_case cases[MOST_CASES]);
/* Prefixes of the world of every size, then one of each way to create a communicator. Collective
 * over the world. */
int make_communicators(struct communicator_case cases[MOST_CASES]);
void free_communicators(struct communicator_case cases[MOST_CASES], int number);

#endif
