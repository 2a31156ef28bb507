/* SPDX-License-Identifier: BSD-3-Clause
 * many_to_one_host RECEIVERS BYTES CALLS [GATHERED]: CALLS times each of the ranks from RECEIVERS
 * on sends BYTES to each below, which are on one host and have nothing to say to each other, and
 * meanwhile GATHERED bytes of every rank go to rank 0 by MPI_Gatherv. Looks at all that came;
 * prints total_us=N, the slowest receiver's, and failures=N. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, receivers;

static int wrong_blocks(const unsigned char* blocks, int first, size_t bytes, int call) {
  int wrong = 0;
  for (int from = first; from < ranks; ++from) {
    for (size_t i = 0; i < bytes; i += 97)
      wrong += blocks[(size_t)from * bytes + i] != (unsigned char)(from + call);
  }
  return wrong;
}

static void start_messages(unsigned char* sent, unsigned char* received, int bytes,
                           MPI_Request* requests) {
  for (int i = 0; i < ranks; ++i) {
    requests[i] = MPI_REQUEST_NULL;
    if (rank < receivers && i >= receivers)
      MPI_Irecv(received + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, i, 1, MPI_COMM_WORLD,
                &requests[i]);
    if (rank >= receivers && i < receivers)
      MPI_Isend(sent, bytes, MPI_BYTE, i, 1, MPI_COMM_WORLD, &requests[i]);
  }
}

static void gather(unsigned char* sent, unsigned char* gathered, int bytes, int* counts,
                   int* offsets) {
  for (int i = 0; i < ranks; ++i) {
    counts[i] = bytes;
    offsets[i] = i * bytes;
  }
  MPI_Gatherv(sent, bytes, MPI_BYTE, gathered, counts, offsets, MPI_BYTE, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  receivers = atoi(argv[1]);
  const int bytes = atoi(argv[2]), calls = atoi(argv[3]), of_each = argc > 4 ? atoi(argv[4]) : 0;
  const size_t longest = (size_t)(bytes > of_each ? bytes : of_each);
  unsigned char* sent = malloc(longest + 1);
  unsigned char* received = malloc((size_t)ranks * (size_t)bytes + 1);
  unsigned char* gathered = malloc((size_t)ranks * (size_t)of_each + 1);
  MPI_Request* requests = malloc((size_t)ranks * sizeof *requests);
  int* counts = malloc(2 * (size_t)ranks * sizeof *counts);
  int wrong = 0, all_wrong = 0;
  const double began = MPI_Wtime();
  for (int call = 0; call < calls; ++call) {
    memset(sent, rank + call, longest);
    start_messages(sent, received, bytes, requests);
    if (of_each > 0) gather(sent, gathered, of_each, counts, counts + ranks);
    MPI_Waitall(ranks, requests, MPI_STATUSES_IGNORE);
    if (rank < receivers) wrong += wrong_blocks(received, receivers, (size_t)bytes, call);
    if (rank == 0) wrong += wrong_blocks(gathered, 0, (size_t)of_each, call);
  }
  double took = MPI_Wtime() - began, longest_took = 0;
  MPI_Reduce(&took, &longest_took, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("total_us=%.0f failures=%d\n", longest_took * 1e6, all_wrong);
  free(counts);
  free(requests);
  free(gathered);
  free(received);
  free(sent);
  MPI_Finalize();
  return 0;
}
