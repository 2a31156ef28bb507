/* SPDX-License-Identifier: BSD-3-Clause
 * Scans, and reductions whose result is spread over the ranks. */
#include "calls.h"

void compare_scan(const struct call* call, const struct reduction_case* reduction) {
  char text[256];
  struct area send = area_of(reduction->type, call->count, reduction->contents, own_seed(call, 0));
  struct area ours = area_of(reduction->type, call->count, reduction->contents, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Scan(from, ours.base, call->count, reduction->type, reduction->op, call->comm);
  note_executor();
  PMPI_Scan(from, theirs.base, call->count, reduction->type, reduction->op, call->comm);
  check_same_results(&ours, &theirs, reduction, describe(text, "scan", call, reduction->name));
  area_free(&send);
}

/* The result of rank 0 is undefined, and its buffer not ours to touch; in place its data must stay.
 */
void compare_exscan(const struct call* call, const struct reduction_case* reduction) {
  char text[256];
  const int has_result = rank_in(call->comm) > 0;
  struct area send = area_of(reduction->type, call->count, reduction->contents, own_seed(call, 0));
  struct area ours = area_of(reduction->type, call->count, reduction->contents, own_seed(call, 1));
  struct area before = area_copy(&ours);
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Exscan(from, ours.base, call->count, reduction->type, reduction->op, call->comm);
  note_executor();
  PMPI_Exscan(from, theirs.base, call->count, reduction->type, reduction->op, call->comm);
  check_same_results(&ours, has_result ? &theirs : &before, reduction,
                     describe(text, "exscan", call, reduction->name));
  area_free(has_result ? &before : &theirs);
  area_free(&send);
}

/* The first `count` elements in an area of their own; frees `whole`. */
static struct area beginning(struct area* whole, int count,
                             const struct reduction_case* reduction) {
  struct area part = area_of(reduction->type, count, reduction->contents, 1);
  PMPI_Sendrecv(whole->base, count, reduction->type, 0, 0, part.base, count, reduction->type, 0, 0,
                MPI_COMM_SELF, MPI_STATUS_IGNORE);
  area_free(whole);
  return part;
}

/* In place the MPI library may leave anything behind the result. */
static void check_beginnings(struct area* ours, struct area* theirs, int count,
                             const struct reduction_case* reduction, const char* what) {
  struct area our_result = beginning(ours, count, reduction);
  struct area their_result = beginning(theirs, count, reduction);
  check_same_results(&our_result, &their_result, reduction, what);
}

/* MPICH 5 overruns its buffers where an operation does not commute and data begin before their
 * address: there is nothing to compare with. */
static int library_fails(const struct reduction_case* reduction) {
#ifdef OPEN_MPI
  (void)reduction;
  return 0;
#else
  MPI_Aint lower, extent;
  int commutes;
  PMPI_Type_get_extent(reduction->type, &lower, &extent);
  PMPI_Op_commutative(reduction->op, &commutes);
  return lower < 0 && !commutes;
#endif
}

void compare_reduce_scatter_block(const struct call* call, const struct reduction_case* reduction) {
  if (library_fails(reduction)) return;
  char text[256];
  const MPI_Count all = (MPI_Count)call->count * size_of(call->comm);
  struct area send = area_of(reduction->type, all, reduction->contents, own_seed(call, 0));
  struct area ours = area_of(reduction->type, call->in_place ? all : call->count,
                             reduction->contents, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Reduce_scatter_block(from, ours.base, call->count, reduction->type, reduction->op,
                           call->comm);
  note_executor();
  PMPI_Reduce_scatter_block(from, theirs.base, call->count, reduction->type, reduction->op,
                            call->comm);
  describe(text, "reduce_scatter_block", call, reduction->name);
  if (call->in_place) {
    check_beginnings(&ours, &theirs, call->count, reduction, text);
  } else {
    check_same_results(&ours, &theirs, reduction, text);
  }
  area_free(&send);
}

void compare_reduce_scatter(const struct call* call, const struct reduction_case* reduction) {
  if (library_fails(reduction)) return;
  char text[256];
  int counts[MOST_RANKS], all = 0;
  for (int i = 0; i < size_of(call->comm); ++i) {
    counts[i] = call->count * (((int)call->seed + 3 * i) % 4) / 2;
    all += counts[i];
  }
  const int own = counts[rank_in(call->comm)];
  struct area send = area_of(reduction->type, all, reduction->contents, own_seed(call, 0));
  struct area ours =
      area_of(reduction->type, call->in_place ? all : own, reduction->contents, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Reduce_scatter(from, ours.base, counts, reduction->type, reduction->op, call->comm);
  note_executor();
  PMPI_Reduce_scatter(from, theirs.base, counts, reduction->type, reduction->op, call->comm);
  describe(text, "reduce_scatter", call, reduction->name);
  if (call->in_place) {
    check_beginnings(&ours, &theirs, own, reduction, text);
  } else {
    check_same_results(&ours, &theirs, reduction, text);
  }
  area_free(&send);
}
