/* SPDX-License-Identifier: BSD-3-Clause
 * Calls without counts of their own for each rank. */
#include "calls.h"

#include <stdio.h>

int rank_in(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size;
  PMPI_Comm_size(comm, &size);
  return size;
}

unsigned own_seed(const struct call* call, unsigned salt) {
  return call->seed * 4096U + (unsigned)rank_in(call->comm) * 4U + salt;
}

const char* describe(char text[256], const char* name, const struct call* call, const char* type) {
  snprintf(text, 256, "%s of %d x %s, root %d, %s, on %s of %d ranks", name, call->count, type,
           call->root, call->in_place ? "in place" : "two buffers", call->comm_name,
           size_of(call->comm));
  return text;
}

void compare_barrier(const struct call* call) {
  char text[256];
  check(MPI_Barrier(call->comm) == MPI_SUCCESS, "%s", describe(text, "barrier", call, "nothing"));
  note_executor();
}

void compare_bcast(const struct call* call, const struct type_case* type) {
  char text[256];
  struct area ours = area_of(type->type, call->count, ANY_BYTES, own_seed(call, 0));
  struct area theirs = area_copy(&ours);
  MPI_Bcast(ours.base, call->count, type->type, call->root, call->comm);
  note_executor();
  PMPI_Bcast(theirs.base, call->count, type->type, call->root, call->comm);
  check_same(&ours, &theirs, describe(text, "bcast", call, type->name));
}

void compare_bcast_of_unlike_types(const struct call* call, const struct type_case* type) {
  char text[256];
  const int derived = rank_in(call->comm) % 2 == call->root % 2;
  const int count = derived ? call->count : call->count * type->ints;
  const MPI_Datatype used = derived ? type->type : MPI_INT;
  struct area ours = area_of(used, count, ANY_BYTES, own_seed(call, 0));
  struct area theirs = area_copy(&ours);
  MPI_Bcast(ours.base, count, used, call->root, call->comm);
  note_executor();
  PMPI_Bcast(theirs.base, count, used, call->root, call->comm);
  check_same(&ours, &theirs, describe(text, "bcast of unlike types", call, type->name));
}

typedef int (*exchange)(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                        int receive_count, MPI_Datatype receive_type, MPI_Comm comm);

/* Open MPI before 4.1.5 writes beyond the receive buffer where more than 12 ranks exchange small
 * blocks of types whose layouts differ (its pull request 10488): there is nothing to compare with.
 */
static int library_fails_to_exchange(const struct call* call, int unlike_types, exchange pmpi) {
#if defined(OPEN_MPI) && \
    OMPI_MAJOR_VERSION * 10000 + OMPI_MINOR_VERSION * 100 + OMPI_RELEASE_VERSION < 40105
  return unlike_types && pmpi == PMPI_Alltoall && size_of(call->comm) >= 12;
#else
  (void)call, (void)unlike_types, (void)pmpi;
  return 0;
#endif
}

/* What is received goes into ints where the type consists of ints and the call is not in place. */
static void compare_exchange(const struct call* call, const struct type_case* type,
                             const char* name, int sent_blocks, exchange mpi, exchange pmpi) {
  char text[256];
  const int unpacked = type->ints > 0 && !call->in_place && call->root % 2 == 1;
  const MPI_Datatype into = unpacked ? MPI_INT : type->type;
  const int count = unpacked ? call->count * type->ints : call->count;
  if (library_fails_to_exchange(call, unpacked, pmpi)) return;
  const MPI_Count received = (MPI_Count)count * size_of(call->comm);
  struct area send =
      area_of(type->type, (MPI_Count)call->count * sent_blocks, ANY_BYTES, own_seed(call, 0));
  struct area ours = area_of(into, received, ANY_BYTES, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  mpi(from, call->count, type->type, ours.base, count, into, call->comm);
  note_executor();
  pmpi(from, call->count, type->type, theirs.base, count, into, call->comm);
  check_same(&ours, &theirs, describe(text, name, call, type->name));
  area_free(&send);
}

void compare_allgather(const struct call* call, const struct type_case* type) {
  compare_exchange(call, type, "allgather", 1, MPI_Allgather, PMPI_Allgather);
}

void compare_alltoall(const struct call* call, const struct type_case* type) {
  compare_exchange(call, type, "alltoall", size_of(call->comm), MPI_Alltoall, PMPI_Alltoall);
}

/* MPICH 5 refuses its own packed messages where it gathers records of unlike types, its own pairs
 * of them included: there is nothing to compare with. */
static int library_fails_to_gather(const struct type_case* type) {
#ifdef OPEN_MPI
  (void)type;
  return 0;
#else
  int integers, addresses, types, combiner;
  PMPI_Type_get_envelope(type->type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_STRUCT || type->type == MPI_DOUBLE_INT;
#endif
}

void compare_gather(const struct call* call, const struct type_case* type) {
  char text[256];
  if (library_fails_to_gather(type)) return;
  const int at_root = rank_in(call->comm) == call->root;
  struct area send = area_of(type->type, call->count, ANY_BYTES, own_seed(call, 0));
  struct area ours = area_of(type->type, (MPI_Count)call->count * size_of(call->comm), ANY_BYTES,
                             own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place && at_root ? MPI_IN_PLACE : send.base;
  MPI_Gather(from, call->count, type->type, at_root ? ours.base : NULL, call->count, type->type,
             call->root, call->comm);
  note_executor();
  PMPI_Gather(from, call->count, type->type, at_root ? theirs.base : NULL, call->count, type->type,
              call->root, call->comm);
  check_same(&ours, &theirs, describe(text, "gather", call, type->name));
  area_free(&send);
}

void compare_scatter(const struct call* call, const struct type_case* type) {
  char text[256];
  const int at_root = rank_in(call->comm) == call->root;
  const int stays = call->in_place && at_root;
  struct area send = area_of(type->type, (MPI_Count)call->count * size_of(call->comm), ANY_BYTES,
                             own_seed(call, 0));
  struct area ours = area_of(type->type, call->count, ANY_BYTES, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = at_root ? send.base : NULL;
  MPI_Scatter(from, call->count, type->type, stays ? MPI_IN_PLACE : ours.base, call->count,
              type->type, call->root, call->comm);
  note_executor();
  PMPI_Scatter(from, call->count, type->type, stays ? MPI_IN_PLACE : theirs.base, call->count,
               type->type, call->root, call->comm);
  check_same(&ours, &theirs, describe(text, "scatter", call, type->name));
  area_free(&send);
}

void check_same_results(struct area* ours, struct area* theirs,
                        const struct reduction_case* reduction, const char* what) {
  if (reduction->contents == DOUBLES_AND_INTS) {
    area_clear_padding(ours);
    area_clear_padding(theirs);
  }
  check_same(ours, theirs, what);
}

void compare_reduce(const struct call* call, const struct reduction_case* reduction) {
  char text[256];
  const int at_root = rank_in(call->comm) == call->root;
  struct area send = area_of(reduction->type, call->count, reduction->contents, own_seed(call, 0));
  struct area ours = area_of(reduction->type, call->count, reduction->contents, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place && at_root ? MPI_IN_PLACE : send.base;
  MPI_Reduce(from, at_root ? ours.base : NULL, call->count, reduction->type, reduction->op,
             call->root, call->comm);
  note_executor();
  PMPI_Reduce(from, at_root ? theirs.base : NULL, call->count, reduction->type, reduction->op,
              call->root, call->comm);
  check_same_results(&ours, &theirs, reduction, describe(text, "reduce", call, reduction->name));
  area_free(&send);
}

void compare_allreduce(const struct call* call, const struct reduction_case* reduction) {
  char text[256];
  struct area send = area_of(reduction->type, call->count, reduction->contents, own_seed(call, 0));
  struct area ours = area_of(reduction->type, call->count, reduction->contents, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Allreduce(from, ours.base, call->count, reduction->type, reduction->op, call->comm);
  note_executor();
  PMPI_Allreduce(from, theirs.base, call->count, reduction->type, reduction->op, call->comm);
  check_same_results(&ours, &theirs, reduction, describe(text, "allreduce", call, reduction->name));
  area_free(&send);
}

void compare_large_count(const struct call* call) {
#if MPI_VERSION >= 4
  char text[256];
  const MPI_Count count = call->count;
  struct area ours = area_of(MPI_DOUBLE, count, SMALL_DOUBLES, own_seed(call, 0));
  struct area theirs = area_copy(&ours);
  MPI_Bcast_c(ours.base, count, MPI_DOUBLE, call->root, call->comm);
  note_executor();
  PMPI_Bcast_c(theirs.base, count, MPI_DOUBLE, call->root, call->comm);
  check_same(&ours, &theirs, describe(text, "bcast_c", call, "double"));

  ours = area_of(MPI_DOUBLE, count, SMALL_DOUBLES, own_seed(call, 1));
  theirs = area_copy(&ours);
  MPI_Allreduce_c(MPI_IN_PLACE, ours.base, count, MPI_DOUBLE, MPI_SUM, call->comm);
  note_executor();
  PMPI_Allreduce_c(MPI_IN_PLACE, theirs.base, count, MPI_DOUBLE, MPI_SUM, call->comm);
  check_same(&ours, &theirs, describe(text, "allreduce_c", call, "double"));

  struct area send =
      area_of(MPI_DOUBLE, count * size_of(call->comm), SMALL_DOUBLES, own_seed(call, 2));
  ours = area_copy(&send);
  theirs = area_copy(&send);
  MPI_Alltoall_c(send.base, count, MPI_DOUBLE, ours.base, count, MPI_DOUBLE, call->comm);
  note_executor();
  PMPI_Alltoall_c(send.base, count, MPI_DOUBLE, theirs.base, count, MPI_DOUBLE, call->comm);
  check_same(&ours, &theirs, describe(text, "alltoall_c", call, "double"));
  area_free(&send);
#else
  (void)call;
#endif
}

void check_bits(const struct call* call) {
  char text[256];
  const int bytes = call->count * (int)sizeof(double);
  struct area send = area_of(MPI_DOUBLE, call->count, ROUGH_DOUBLES, own_seed(call, 0));
  struct area first = area_of(MPI_DOUBLE, call->count, SMALL_DOUBLES, call->seed);
  struct area of_root = area_copy(&first);
  MPI_Allreduce(send.base, first.base, call->count, MPI_DOUBLE, MPI_SUM, call->comm);
  note_executor();
  for (int again = 0; again < 3; ++again) {
    struct area repeated = area_of(MPI_DOUBLE, call->count, SMALL_DOUBLES, call->seed);
    struct area kept = area_copy(&first);
    MPI_Allreduce(send.base, repeated.base, call->count, MPI_DOUBLE, MPI_SUM, call->comm);
    check_same(&repeated, &kept, describe(text, "repeated allreduce", call, "double"));
  }
  if (rank_in(call->comm) == 0) {
    area_free(&of_root);
    of_root = area_copy(&first);
  }
  PMPI_Bcast(of_root.base, bytes, MPI_BYTE, 0, call->comm);
  check_same(&first, &of_root, describe(text, "allreduce on all ranks", call, "double"));
  area_free(&send);
}
