/* SPDX-License-Identifier: BSD-3-Clause
 * collectives MODE [SEED [CALLS]]: every intercepted collective against the MPI library's own
 * answer, in one process. matrix: collectives x datatypes x operations x in place x communicators x
 * counts brief: the same with one count, for libraries that spin while more ranks than cores wait
 *   stress: CALLS random ones among them
 *   soak: the same while a large message is pending, and the memory that they leave
 * The last line of world rank 0 counts checks, failures and calls that Quadrille executed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

static struct type_case types[MOST_CASES];
static struct reduction_case reductions[MOST_CASES];
static struct communicator_case communicators[MOST_CASES];
static int type_number, reduction_number, communicator_number;

/* All types and operations with one count on one communicator. */
static void try_all(struct call call) {
  compare_barrier(&call);
  for (int t = 0; t < type_number; ++t) {
    ++call.seed;
    compare_bcast(&call, &types[t]);
    if (types[t].ints > 0) compare_bcast_of_unlike_types(&call, &types[t]);
    compare_allgather(&call, &types[t]);
    compare_alltoall(&call, &types[t]);
    compare_gather(&call, &types[t]);
    compare_scatter(&call, &types[t]);
    compare_allgatherv(&call, &types[t]);
    compare_gatherv(&call, &types[t]);
    compare_scatterv(&call, &types[t]);
    compare_alltoallv(&call, &types[t]);
    compare_alltoallw(&call, &types[t]);
  }
  for (int r = 0; r < reduction_number; ++r) {
    ++call.seed;
    compare_reduce(&call, &reductions[r]);
    compare_allreduce(&call, &reductions[r]);
    compare_scan(&call, &reductions[r]);
    compare_exscan(&call, &reductions[r]);
    compare_reduce_scatter_block(&call, &reductions[r]);
    compare_reduce_scatter(&call, &reductions[r]);
  }
}

/* What is large for an algorithm that cuts messages of ints and doubles. */
static void try_large(struct call call) {
  for (int t = 0; t < 2; ++t) {
    compare_bcast(&call, &types[t]);
    compare_reduce(&call, &reductions[t * 3]);
    compare_allreduce(&call, &reductions[t * 3]);
    compare_scan(&call, &reductions[t * 3]);
    compare_exscan(&call, &reductions[t * 3]);
  }
  compare_bcast(&call, &types[5]); /* the vector */
  compare_large_count(&call);
  check_bits(&call);
  call.count /= 16;
  compare_large_count_of_blocks(&call);
  compare_gather(&call, &types[1]);
  compare_gatherv(&call, &types[1]);
  compare_alltoallv(&call, &types[1]);
  compare_reduce_scatter_block(&call, &reductions[3]);
  compare_reduce_scatter(&call, &reductions[3]);
  compare_allgather(&call, &types[1]);
  compare_alltoall(&call, &types[1]);
}

static void matrix(int counts_tried) {
  static const int counts[] = {7, 1, 0};
  for (int c = 0; c < communicator_number; ++c) {
    struct call call = {communicators[c].comm, communicators[c].name, 0, 0, 0, 1000U * (unsigned)c};
    if (call.comm == MPI_COMM_NULL) continue;
    int size;
    PMPI_Comm_size(call.comm, &size);
    for (int i = 0; i < 2 * counts_tried; ++i) {
      call.count = counts[i / 2];
      call.in_place = i % 2;
      call.root = i % size;
      call.seed += 100;
      try_all(call);
    }
    call.count = 40007;
    call.root = size - 1;
    try_large(call);
  }
}

static void try_random(unsigned long long* state, const struct communicator_case* communicator) {
  static const int counts[] = {0, 1, 2, 5, 33, 400, 3001};
  int size = 1;
  struct call call = {communicator->comm, communicator->name, 0, 0, 0, 0};
  static void (*const moves[])(const struct call*, const struct type_case*) = {
      compare_bcast,   compare_allgather,  compare_alltoall, compare_gather,    compare_scatter,
      compare_gatherv, compare_allgatherv, compare_scatterv, compare_alltoallv, compare_alltoallw};
  static void (*const reduces[])(const struct call*, const struct reduction_case*) = {
      compare_reduce,
      compare_allreduce,
      compare_scan,
      compare_exscan,
      compare_reduce_scatter_block,
      compare_reduce_scatter};
  const unsigned what = next_random(state) % 17;
  const unsigned which = next_random(state);
  call.count = counts[next_random(state) % 7];
  call.in_place = (int)(next_random(state) % 2);
  call.seed = next_random(state) % 100000;
  const unsigned root = next_random(state);
  if (call.comm == MPI_COMM_NULL) return;
  PMPI_Comm_size(call.comm, &size);
  call.root = (int)(root % (unsigned)size);
  const struct type_case* type = &types[which % (unsigned)type_number];
  const struct reduction_case* reduction = &reductions[which % (unsigned)reduction_number];
  if (what == 0) {
    compare_barrier(&call);
  } else if (what <= 10) {
    moves[what - 1](&call, type);
  } else {
    reduces[what - 11](&call, reduction);
  }
}

static void stress(unsigned long long* state, int calls) {
  for (int i = 0; i < calls; ++i) {
    const unsigned which = next_random(state) % (unsigned)communicator_number;
    try_random(state, &communicators[which]);
  }
}

static long resident_kib(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The largest process's memory, at rank 0. */
static long most_resident_kib(void) {
  const long mine = resident_kib();
  long most = mine;
  PMPI_Reduce(&mine, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  return most;
}

/* One message of the last rank to the first is under way all the time, a new one every thousand
 * calls. Prints the memory of the largest process at every tenth of the calls, last of all after
 * the first tenth and after the last call. */
static void soak(unsigned long long* state, int calls) {
  enum { BYTES = 1 << 20, CALLS_A_MESSAGE = 1000 };
  static char sent[BYTES], received[BYTES];
  MPI_Request request = MPI_REQUEST_NULL;
  const int rank = rank_in(MPI_COMM_WORLD), last = size_of(MPI_COMM_WORLD) - 1;
  long early_kib = 0, late_kib = 0;
  for (int done = 0, told = 0; done < calls;) {
    const int more = calls - done < CALLS_A_MESSAGE ? calls - done : CALLS_A_MESSAGE;
    memset(sent, done / CALLS_A_MESSAGE, BYTES);
    if (rank == last) MPI_Issend(sent, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
    stress(state, more);
    if (rank == 0) MPI_Recv(received, BYTES, MPI_CHAR, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) check(memcmp(sent, received, BYTES) == 0, "the pending message %d", done);
    done += more;
    if (done / (calls / 10 + 1) == told && done != calls) continue;
    told = done / (calls / 10 + 1);
    late_kib = most_resident_kib();
    if (early_kib == 0) early_kib = late_kib;
    if (rank != 0) continue;
    printf("soak: %d calls, %ld KiB, %ld failures\n", done, late_kib, tally.failures);
    fflush(stdout);
  }
  if (rank == 0) printf("early_kib=%ld late_kib=%ld\n", early_kib, late_kib);
}

int main(int argc, char** argv) {
  setenv("QUADRILLE_PMPI", "off", 1); /* results are compared with the library's own */
  MPI_Init(&argc, &argv);
  type_number = make_types(types);
  reduction_number = make_reductions(reductions);
  communicator_number = make_communicators(communicators);
  if (argc > 1 && strcmp(argv[1], "matrix") == 0) matrix(3);
  if (argc > 1 && strcmp(argv[1], "brief") == 0) matrix(1);
  unsigned long long state = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  if (argc > 3 && strcmp(argv[1], "stress") == 0) stress(&state, atoi(argv[3]));
  if (argc > 3 && strcmp(argv[1], "soak") == 0) soak(&state, atoi(argv[3]));
  free_communicators(communicators, communicator_number);
  const long mine[] = {tally.checks, tally.failures, tally.replaced};
  long total[3];
  int rank;
  PMPI_Reduce(mine, total, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("checks=%ld failures=%ld replaced=%ld\n", total[0], total[1], total[2]);
  MPI_Finalize();
  return 0;
}
