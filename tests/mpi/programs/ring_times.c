/* SPDX-License-Identifier: BSD-3-Clause
 * ring_times BYTES CALLS: each rank sends BYTES to the next one and receives as many from the one
 * before it, CALLS times, each from a barrier on. Looks at what has come, and prints the median of
 * the ranks' mean times of a call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, failures = 0, all_failures = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1000;
  const int calls = argc > 2 ? atoi(argv[2]) : 10;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  unsigned char* const sent = malloc((size_t)bytes + 1);
  unsigned char* const received = malloc((size_t)bytes + 1);
  double* const times = calloc((size_t)calls, sizeof *times);
  for (int call = 0; call < calls; ++call) {
    memset(sent, rank + call, (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    MPI_Sendrecv(sent, bytes, MPI_BYTE, next, 0, received, bytes, MPI_BYTE, before, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double took = MPI_Wtime() - began;
    MPI_Allreduce(&took, &times[call], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < bytes; ++i) failures += received[i] != (unsigned char)(before + call);
  }
  MPI_Reduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    qsort(times, (size_t)calls, sizeof *times, by_value);
    printf("median_us=%.0f failures=%d\n", times[calls / 2] / ranks * 1e6, all_failures);
  }
  MPI_Finalize();
  return all_failures != 0;
}
