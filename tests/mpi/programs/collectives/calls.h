/* SPDX-License-Identifier: BSD-3-Clause
 * One call each, made twice: MPI_X and PMPI_X with the same arguments and memory; both must leave
 * the same bytes. Collective over `comm`; all arguments but the memory are the same on all its
 * ranks. */
#ifndef QUADRILLE_TEST_CALLS_H
#define QUADRILLE_TEST_CALLS_H

#include "types.h"

struct call {
  MPI_Comm comm;
  const char* comm_name;
  int count;
  int root;
  int in_place;
  unsigned seed; /* of the memory: mixed with the rank */
};

void compare_barrier(const struct call* call);
void compare_bcast(const struct call* call, const struct type_case* type);
void compare_allgather(const struct call* call, const struct type_case* type);
void compare_alltoall(const struct call* call, const struct type_case* type);
void compare_reduce(const struct call* call, const struct reduction_case* reduction);
void compare_allreduce(const struct call* call, const struct reduction_case* reduction);

/* MPI 4's entries with MPI_Count, where the library has them. */
void compare_large_count(const struct call* call);

/* The root and all others name the same message by different datatypes. REQUIRES: type->ints > 0.
 */
void compare_bcast_of_unlike_types(const struct call* call, const struct type_case* type);

/* An allreduce whose result depends on the order: the same bits on all ranks, and again when
 * repeated. */
void check_bits(const struct call* call);

#endif
