/* SPDX-License-Identifier: BSD-3-Clause
 * Vector collectives whose received blocks lie over each other, long and short: an error of the
 * program's, which no library looks for. The calls end, and each byte is of some rank's block. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

static int is_of_some_rank(const char* into, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    if (into[i] < 1 || into[i] > size) return 0;
  }
  return 1;
}

static void overlap(int bytes) {
  char* from = malloc((size_t)(bytes * size));
  char* into = malloc((size_t)bytes);
  int* counts = malloc((size_t)size * sizeof *counts);
  int* starts = calloc((size_t)size, sizeof *starts);
  int* sent_from = malloc((size_t)size * sizeof *sent_from);
  memset(from, rank + 1, (size_t)(bytes * size));
  for (int peer = 0; peer < size; ++peer) {
    counts[peer] = bytes;
    sent_from[peer] = peer * bytes;
  }
  for (int call = 0; call < 3; ++call) {
    memset(into, 0, (size_t)bytes);
    MPI_Allgatherv(from, bytes, MPI_CHAR, into, counts, starts, MPI_CHAR, MPI_COMM_WORLD);
    expect(is_of_some_rank(into, bytes), "allgatherv");
    memset(into, 0, (size_t)bytes);
    MPI_Alltoallv(from, counts, sent_from, MPI_CHAR, into, counts, starts, MPI_CHAR,
                  MPI_COMM_WORLD);
    expect(is_of_some_rank(into, bytes), "alltoallv");
    memset(into, 1, (size_t)bytes);
    MPI_Gatherv(from, bytes, MPI_CHAR, into, counts, starts, MPI_CHAR, 0, MPI_COMM_WORLD);
    expect(is_of_some_rank(into, bytes), "gatherv");
  }
  free(from);
  free(into);
  free(counts);
  free(starts);
  free(sent_from);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  overlap(100);
  overlap(200000);
  long total = 0;
  MPI_Reduce(&failures, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", checks, total);
  MPI_Finalize();
  return 0;
}
