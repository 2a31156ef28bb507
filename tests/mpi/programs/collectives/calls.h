/* SPDX-License-Identifier: BSD-3-Clause
 * One call each, made twice: MPI_X and PMPI_X with the same arguments and memory; both must leave
 * the same bytes. Collective over `comm`; all arguments but the memory are the same on all its
 * ranks. */
#ifndef QUADRILLE_TEST_CALLS_H
#define QUADRILLE_TEST_CALLS_H

#include "types.h"

#define MOST_RANKS 1024

struct call {
  MPI_Comm comm;
  const char* comm_name;
  int count;
  int root;
  int in_place;
  unsigned seed; /* of the memory: mixed with the rank */
};

int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);
/* Differs with the call, the rank and `salt`, 0 to 3. */
unsigned own_seed(const struct call* call, unsigned salt);
const char* describe(char text[256], const char* name, const struct call* call, const char* type);
/* Like check_same; what a reduction may leave in an element's padding does not count. */
void check_same_results(struct area* ours, struct area* theirs,
                        const struct reduction_case* reduction, const char* what);

void compare_barrier(const struct call* call);
void compare_bcast(const struct call* call, const struct type_case* type);
void compare_allgather(const struct call* call, const struct type_case* type);
void compare_alltoall(const struct call* call, const struct type_case* type);
void compare_gather(const struct call* call, const struct type_case* type);
void compare_scatter(const struct call* call, const struct type_case* type);
void compare_allgatherv(const struct call* call, const struct type_case* type);
void compare_gatherv(const struct call* call, const struct type_case* type);
void compare_scatterv(const struct call* call, const struct type_case* type);
void compare_alltoallv(const struct call* call, const struct type_case* type);
void compare_alltoallw(const struct call* call, const struct type_case* type);
void compare_reduce(const struct call* call, const struct reduction_case* reduction);
void compare_allreduce(const struct call* call, const struct reduction_case* reduction);
void compare_scan(const struct call* call, const struct reduction_case* reduction);
void compare_exscan(const struct call* call, const struct reduction_case* reduction);
void compare_reduce_scatter_block(const struct call* call, const struct reduction_case* reduction);
void compare_reduce_scatter(const struct call* call, const struct reduction_case* reduction);

/* MPI 4's entries with MPI_Count, where the library has them. */
void compare_large_count(const struct call* call);
void compare_large_count_of_blocks(const struct call* call);

/* The root and all others name the same message by different datatypes. REQUIRES: type->ints > 0.
 */
void compare_bcast_of_unlike_types(const struct call* call, const struct type_case* type);

/* An allreduce whose result depends on the order: the same bits on all ranks, and again when
 * repeated. */
void check_bits(const struct call* call);

#endif
