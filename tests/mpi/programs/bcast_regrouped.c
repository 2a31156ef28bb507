/* SPDX-License-Identifier: BSD-3-Clause
 * bcast_regrouped BYTES CALLS FEW: the first FEW ranks broadcast CALLS times on a communicator of
 * their own, in turn as roots; it is freed, and all ranks do the same on another. Prints how many
 * bytes were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong = 0;

static void broadcasts(int ranks, int bytes, int calls) {
  int rank;
  MPI_Comm communicator;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &communicator);
  if (communicator == MPI_COMM_NULL) return;
  unsigned char* data = malloc((size_t)bytes);
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < bytes; ++i)
      data[i] = rank == call % ranks ? (unsigned char)(call * 13 + i * 7 + i / 251) : 0;
    MPI_Bcast(data, bytes, MPI_BYTE, call % ranks, communicator);
    for (int i = 0; i < bytes; ++i)
      wrong += data[i] != (unsigned char)(call * 13 + i * 7 + i / 251);
    MPI_Barrier(communicator);
  }
  free(data);
  MPI_Comm_free(&communicator);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank, ranks, all_wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  broadcasts(atoi(argv[3]), atoi(argv[1]), atoi(argv[2]));
  broadcasts(ranks, atoi(argv[1]), atoi(argv[2]));
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong=%d\n", all_wrong);
  MPI_Finalize();
  return 0;
}
