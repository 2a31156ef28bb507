/* SPDX-License-Identifier: BSD-3-Clause
 * exchange_times BYTES CALLS [uneven]: calls MPI_Alltoall with BYTES a pair, each time from a
 * barrier on, looks at every block, and prints the median, mean and maximum of the calls' times,
 * each the slowest rank's, without the first two calls. longest_round_us is the longest time
 * from a call's barrier until its blocks are looked at, rank 0's. With `uneven` it is
 * MPI_Alltoallv, and a pair has none, one, two, three or four fourths of BYTES in turn. After the
 * first two calls rank 0 makes the file that EXCHANGE_BEGUN names, where it is set. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

struct side {
  unsigned char* data;
  int *lengths, *starts;
};

static struct side side_of(int ranks, size_t bytes) {
  const struct side side = {malloc((size_t)ranks * bytes), calloc((size_t)ranks, sizeof(int)),
                            calloc((size_t)ranks, sizeof(int))};
  for (int peer = 0; peer < ranks; ++peer) side.starts[peer] = peer * (int)bytes;
  return side;
}

static void side_free(struct side side) {
  free(side.data);
  free(side.lengths);
  free(side.starts);
}

static int wrong_blocks(struct side received, int ranks, int call) {
  int wrong = 0;
  for (int from = 0; from < ranks; ++from) {
    const unsigned char* block = received.data + received.starts[from];
    for (int i = 0; i < received.lengths[from]; i += 97) {
      if (block[i] == (unsigned char)(from + call)) continue;
      ++wrong;
      break;
    }
  }
  return wrong;
}

/* The first call is number -2. */
static int length(int call, int from, int to, int bytes, int uneven) {
  return uneven ? bytes * ((3 * from + 2 * to + call + 2) % 5) / 4 : bytes;
}

static void tell_of_begin(void) {
  const char* name = getenv("EXCHANGE_BEGUN");
  FILE* file = name ? fopen(name, "w") : NULL;
  if (file) fclose(file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0, all_wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t bytes = argc > 1 ? (size_t)atol(argv[1]) : 1000;
  const int calls = argc > 2 ? atoi(argv[2]) : 10;
  const int uneven = argc > 3;
  struct side sent = side_of(ranks, bytes), received = side_of(ranks, bytes);
  double* times = calloc((size_t)calls, sizeof *times);
  double longest_round = 0;
  for (int call = -2; call < calls; ++call) {
    if (call == 0 && rank == 0) tell_of_begin();
    memset(sent.data, rank + call, (size_t)ranks * bytes);
    for (int peer = 0; peer < ranks; ++peer) {
      sent.lengths[peer] = length(call, rank, peer, (int)bytes, uneven);
      received.lengths[peer] = length(call, peer, rank, (int)bytes, uneven);
    }
    const double round_began = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    if (uneven) {
      MPI_Alltoallv(sent.data, sent.lengths, sent.starts, MPI_BYTE, received.data, received.lengths,
                    received.starts, MPI_BYTE, MPI_COMM_WORLD);
    } else {
      MPI_Alltoall(sent.data, (int)bytes, MPI_BYTE, received.data, (int)bytes, MPI_BYTE,
                   MPI_COMM_WORLD);
    }
    double took = MPI_Wtime() - began, longest = 0;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (call >= 0) times[call] = longest;
    wrong += wrong_blocks(received, ranks, call);
    const double round = MPI_Wtime() - round_began;
    if (call >= 0 && round > longest_round) longest_round = round;
  }
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    double sum = 0;
    for (int call = 0; call < calls; ++call) sum += times[call];
    qsort(times, (size_t)calls, sizeof *times, by_value);
    printf("median_us=%.0f mean_us=%.0f max_us=%.0f longest_round_us=%.0f wrong=%d\n",
           times[calls / 2] * 1e6, sum / calls * 1e6, times[calls - 1] * 1e6, longest_round * 1e6,
           all_wrong);
  }
  free(times);
  side_free(received);
  side_free(sent);
  MPI_Finalize();
  return 0;
}
