/* SPDX-License-Identifier: BSD-3-Clause
 * exchange_times BYTES CALLS: calls MPI_Alltoall with BYTES a pair, each time from a barrier on,
 * looks at every block, and prints the median, mean and maximum of the calls' times, each the
 * slowest rank's, without the first two calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void* one, const void* other) {
  const double a = *(const double*)one, b = *(const double*)other;
  return (a > b) - (a < b);
}

static int wrong_blocks(const unsigned char* received, int ranks, size_t bytes, int call) {
  int wrong = 0;
  for (int from = 0; from < ranks; ++from) {
    const unsigned char* block = received + (size_t)from * bytes;
    for (size_t i = 0; i < bytes; i += 97) {
      if (block[i] == (unsigned char)(from + call)) continue;
      ++wrong;
      break;
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0, all_wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t bytes = argc > 1 ? (size_t)atol(argv[1]) : 1000;
  const int calls = argc > 2 ? atoi(argv[2]) : 10;
  unsigned char* sent = malloc((size_t)ranks * bytes);
  unsigned char* received = malloc((size_t)ranks * bytes);
  double* times = calloc((size_t)calls, sizeof *times);
  for (int call = -2; call < calls; ++call) {
    memset(sent, rank + call, (size_t)ranks * bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    MPI_Alltoall(sent, (int)bytes, MPI_BYTE, received, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    double took = MPI_Wtime() - began, longest = 0;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (call >= 0) times[call] = longest;
    wrong += wrong_blocks(received, ranks, bytes, call);
  }
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    double sum = 0;
    for (int call = 0; call < calls; ++call) sum += times[call];
    qsort(times, (size_t)calls, sizeof *times, by_value);
    printf("median_us=%.0f mean_us=%.0f max_us=%.0f wrong=%d\n", times[calls / 2] * 1e6,
           sum / calls * 1e6, times[calls - 1] * 1e6, all_wrong);
  }
  free(times);
  free(received);
  free(sent);
  MPI_Finalize();
  return 0;
}
