/* SPDX-License-Identifier: BSD-3-Clause
 * overlap BYTES ROUNDS [dies]: nonblocking all-to-alls of BYTES a pair, alone and with as long a
 * rest beside them, in which the processor is free. Prints the medians in us, and how much of the
 * collective's time is hidden behind the rest. dies: the last rank ends without a word while the
 * others wait for it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROUNDS = 1000 };

static int ascending(const void* one, const void* other) {
  const double a = *(const double*)one, b = *(const double*)other;
  return (a > b) - (a < b);
}

static double median(double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return times[count / 2];
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1024;
  const int rounds = argc > 2 && atoi(argv[2]) <= MOST_ROUNDS ? atoi(argv[2]) : 10;
  char *sent = calloc((size_t)size, (size_t)bytes), *received = calloc((size_t)size, (size_t)bytes);
  static double alone[MOST_ROUNDS], beside[MOST_ROUNDS];
  double rest = 0;
  for (int round = 0; round < 2 * rounds; ++round) {
    const int with_rest = round >= rounds;
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (argc > 3 && rank == size - 1 && round == rounds / 2) _exit(3);
    MPI_Ialltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
    if (with_rest) usleep((useconds_t)(rest * 1e6));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    double took = MPI_Wtime() - start, longest;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    (with_rest ? beside : alone)[round % rounds] = longest;
    if (round == rounds - 1) rest = median(alone, rounds);
  }
  const double both = median(beside, rounds);
  if (rank == 0)
    printf("alone_us=%.0f with_rest_us=%.0f hidden_percent=%.0f\n", rest * 1e6, both * 1e6,
           100 * (2 * rest - both) / rest);
  MPI_Finalize();
  return 0;
}
