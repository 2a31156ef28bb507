/* SPDX-License-Identifier: BSD-3-Clause
 * narrow_counts [left]: looks up calls of MPI 4 with large counts as mpi4py does. Where their
 * counts fit into an int the results are what they should be, and arguments that mean nothing are
 * not looked at. With `left` all calls are the MPI library's: where it has none of these itself
 * (own=0 in the last line) counts that do not fit are refused with MPI_ERR_COUNT and nothing is
 * sent: what comes next is right. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 16 };
static const MPI_Count large = (MPI_Count)INT_MAX + 1;
static int rank, ranks, checks, failures, own;

typedef int vector_call(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*,
                        const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm);
typedef int types_call(const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*,
                       const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm);
typedef int scatterv_call(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*,
                          MPI_Count, MPI_Datatype, int, MPI_Comm);
typedef int gatherv_call(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*,
                         const MPI_Aint*, MPI_Datatype, int, MPI_Comm);
typedef int reduce_scatter_call(const void*, void*, const MPI_Count*, MPI_Datatype, MPI_Op,
                                MPI_Comm);
typedef int allgather_call(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                           MPI_Comm);
typedef int gather_call(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                        MPI_Comm);

static vector_call* alltoallv;
static types_call* alltoallw;
static scatterv_call* scatterv;
static gatherv_call* gatherv;
static reduce_scatter_call* reduce_scatter;
static allgather_call* allgather;
static gather_call *gather, *scatter;

static void check(int is_right, const char* what) {
  ++checks;
  if (is_right) return;
  ++failures;
  printf("rank %d: %s\n", rank, what);
}

static int is_refused(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class == MPI_ERR_COUNT;
}

/* Blocks of peer + 1 ints, one behind the other, in units of `unit`. */
static MPI_Aint lay_out(MPI_Count* counts, MPI_Aint* places, MPI_Aint unit) {
  MPI_Aint sum = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    counts[peer] = peer + 1;
    places[peer] = sum * unit;
    sum += peer + 1;
  }
  return sum;
}

static void check_results(void) {
  MPI_Count counts[most], equal[most];
  MPI_Aint places[most], bytes[most], steps[most], step_bytes[most];
  MPI_Datatype types[most];
  int sent[most * most], received[most * most];
  const MPI_Aint sum = lay_out(counts, places, 1);
  lay_out(counts, bytes, sizeof(int));
  for (int peer = 0; peer < ranks; ++peer) {
    equal[peer] = rank + 1;
    steps[peer] = peer * (rank + 1);
    step_bytes[peer] = steps[peer] * (MPI_Aint)sizeof(int);
    types[peer] = MPI_INT;
  }
  for (MPI_Aint i = 0; i < sum; ++i) sent[i] = 1000 * rank + (int)i;
  for (int with_types = 0; with_types < 2; ++with_types) {
    if (with_types)
      alltoallw(sent, counts, bytes, types, received, equal, step_bytes, types, MPI_COMM_WORLD);
    else
      alltoallv(sent, counts, places, MPI_INT, received, equal, steps, MPI_INT, MPI_COMM_WORLD);
    int right = 1;
    for (int peer = 0; peer < ranks; ++peer)
      for (int i = 0; i <= rank; ++i)
        right &= received[steps[peer] + i] == 1000 * peer + (int)places[rank] + i;
    check(right, with_types ? "alltoallw" : "alltoallv");
  }
  /* What is of no meaning here is out of range. */
  const int root = ranks - 1;
  scatterv(sent, counts, places, MPI_INT, received, rank + 1, MPI_INT, root, MPI_COMM_WORLD);
  check(received[rank] == 1000 * root + (int)places[rank] + rank, "scatterv");
  gatherv(sent, rank + 1, MPI_INT, received, counts, places, MPI_INT, root, MPI_COMM_WORLD);
  check(rank != root || received[places[1] + 1] == 1001, "gatherv");
  for (MPI_Aint i = 0; i < sum; ++i) sent[i] = (int)i + rank;
  reduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(received[rank] == ranks * (int)(places[rank] + rank) + ranks * (ranks - 1) / 2,
        "reduce_scatter");
  const MPI_Count unread = own ? 1 : large;
  received[rank] = rank;
  check(allgather(MPI_IN_PLACE, unread, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD) == 0 &&
            received[root] == root,
        "allgather in place");
  check(gather(&rank, 1, MPI_INT, received, rank == root ? 1 : unread, MPI_INT, root,
               MPI_COMM_WORLD) == 0 &&
            (rank != root || received[1] == 1),
        "gather");
  check(scatter(received, rank == root ? 1 : unread, MPI_INT, &received[most], 1, MPI_INT, root,
                MPI_COMM_WORLD) == 0,
        "scatter");
}

/* All ranks are refused, so nobody waits for anybody. */
static void check_refusals(void) {
  MPI_Count counts[most], wide[most];
  MPI_Aint places[most], far[most];
  MPI_Datatype types[most];
  int sent[most * most] = {0}, received[most * most];
  lay_out(counts, places, 1);
  lay_out(wide, far, 1);
  wide[ranks - 1] = large;
  far[ranks - 1] = (MPI_Aint)large;
  for (int peer = 0; peer < ranks; ++peer) types[peer] = MPI_INT;
  const MPI_Comm all = MPI_COMM_WORLD;
  check(is_refused(alltoallv(sent, wide, places, MPI_INT, received, counts, places, MPI_INT, all)),
        "alltoallv: a count");
  check(is_refused(alltoallv(sent, counts, places, MPI_INT, received, counts, far, MPI_INT, all)),
        "alltoallv: a place");
  check(is_refused(alltoallw(sent, counts, far, types, received, counts, places, types, all)),
        "alltoallw: a place");
  check(is_refused(alltoallw(sent, counts, places, types, received, wide, places, types, all)),
        "alltoallw: a count");
  check(is_refused(scatterv(sent, rank == 0 ? wide : NULL, places, MPI_INT, received,
                            rank == 0 ? 1 : large, MPI_INT, 0, all)),
        "scatterv");
  check(is_refused(reduce_scatter(sent, received, wide, MPI_INT, MPI_SUM, all)), "reduce_scatter");
}

int main(int argc, char** argv) {
  setenv("QUADRILLE_PMPI", "off", 1); /* results are compared with the library's own */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  struct {
    const char* name;
    void** call;
  } calls[] = {{"MPI_Alltoallv_c", (void**)&alltoallv},
               {"MPI_Alltoallw_c", (void**)&alltoallw},
               {"MPI_Scatterv_c", (void**)&scatterv},
               {"MPI_Gatherv_c", (void**)&gatherv},
               {"MPI_Reduce_scatter_c", (void**)&reduce_scatter},
               {"MPI_Allgather_c", (void**)&allgather},
               {"MPI_Gather_c", (void**)&gather},
               {"MPI_Scatter_c", (void**)&scatter}};
  int found = 0;
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; ++i) {
    *calls[i].call = dlsym(RTLD_DEFAULT, calls[i].name);
    found += *calls[i].call != NULL;
  }
  own = dlsym(RTLD_DEFAULT, "PMPI_Bcast_c") != NULL;
  if (found == 8) {
    check_results();
    if (!own && argc > 1) check_refusals();
    check_results();
  }
  int all_failures = 0;
  MPI_Reduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("found=%d own=%d checks=%d failures=%d\n", found, own, checks, all_failures);
  MPI_Finalize();
  return 0;
}
