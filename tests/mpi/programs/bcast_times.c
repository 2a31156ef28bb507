/* SPDX-License-Identifier: BSD-3-Clause
 * bcast_times BYTES CALLS [LATE_MS [WORK_MS]]: calls MPI_Bcast, each time from a barrier on and
 * from another root, looks at every byte, and prints the median and the maximum of the calls'
 * times, each the slowest rank's. The last rank comes LATE_MS later than the others, whose slowest
 * time is printed too (others_us); each root works for WORK_MS after its call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "times.h"

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void work_ms(long ms) {
  for (const double end = MPI_Wtime() + (double)ms / 1e3; MPI_Wtime() < end;) {
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0, all_wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t bytes = argc > 1 ? (size_t)atol(argv[1]) : 1000;
  const int calls = argc > 2 ? atoi(argv[2]) : 10;
  const long late = argc > 3 ? atol(argv[3]) : 0;
  const long work = argc > 4 ? atol(argv[4]) : 0;
  unsigned char* data = malloc(bytes);
  double* times = calloc((size_t)calls, sizeof *times);
  double* others = calloc((size_t)calls, sizeof *others);
  for (int call = -2; call < calls; ++call) {
    const int root = (call + 2) % (late > 0 && ranks > 1 ? ranks - 1 : ranks);
    for (size_t i = 0; i < bytes; ++i)
      data[i] = rank == root ? (unsigned char)(call * 13 + i * 7 + i / 251) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    if (late > 0 && rank == ranks - 1) sleep_ms(late);
    MPI_Bcast(data, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    const double took = MPI_Wtime() - began;
    if (rank == root) work_ms(work);
    for (size_t i = 0; i < bytes; ++i)
      wrong += data[i] != (unsigned char)(call * 13 + i * 7 + i / 251);
    const double mine[2] = {took, rank == ranks - 1 ? 0 : took};
    double longest[2];
    MPI_Allreduce(mine, longest, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (call < 0) continue;
    times[call] = longest[0];
    others[call] = longest[1];
  }
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    qsort(times, (size_t)calls, sizeof *times, by_value);
    qsort(others, (size_t)calls, sizeof *others, by_value);
    printf("median_us=%.0f max_us=%.0f others_us=%.0f wrong=%d\n", times[calls / 2] * 1e6,
           times[calls - 1] * 1e6, others[calls / 2] * 1e6, all_wrong);
  }
  free(others);
  free(times);
  free(data);
  MPI_Finalize();
  return 0;
}
