/* SPDX-License-Identifier: BSD-3-Clause
 * ping_pong BYTES ROUNDS [BYTES ROUNDS]...: messages there and back between ranks 0 and 1, after a
 * tenth as many that are not timed. Prints for each size half the median, the 10th and the 90th
 * percentile round trip, and the rate by the mean: bytes=N half_ns=N half_ns_10=N half_ns_90=N
 * mbyte_s=N cpu_ns=N, the last one rank 0's processor time a message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "times.h"

static void one_way_and_back(char* data, int bytes, int rank) {
  if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(data, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static double processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void measure(int bytes, int rounds, int rank) {
  char* data = calloc((size_t)bytes + 1, 1);
  double* times = malloc((size_t)rounds * sizeof *times);
  for (int i = 0; i < rounds / 10 + 1; ++i) one_way_and_back(data, bytes, rank);
  const double processor = processor_ns();
  double sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const double begin = MPI_Wtime();
    one_way_and_back(data, bytes, rank);
    times[i] = MPI_Wtime() - begin;
    sum += times[i];
  }
  const double used = (processor_ns() - processor) / (2.0 * rounds);
  qsort(times, (size_t)rounds, sizeof *times, by_value);
  if (rank == 0)
    printf("bytes=%d half_ns=%.0f half_ns_10=%.0f half_ns_90=%.0f mbyte_s=%.1f cpu_ns=%.0f\n",
           bytes, 5e8 * times[rounds / 2], 5e8 * times[rounds / 10], 5e8 * times[rounds * 9 / 10],
           2e-6 * bytes * rounds / sum, used);
  free(data);
  free(times);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i + 1 < argc && rank < 2; i += 2) measure(atoi(argv[i]), atoi(argv[i + 1]), rank);
  MPI_Finalize();
  return 0;
}
