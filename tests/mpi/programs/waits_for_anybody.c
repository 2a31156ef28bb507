/* SPDX-License-Identifier: BSD-3-Clause
 * waits_for_anybody RANK: RANK says that it waits, and then does for a message from anybody, which
 * never comes, since all others sleep for minutes outside of MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, number;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && rank == atoi(argv[1])) {
    printf("waits\n");
    fflush(stdout);
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("got %d\n", number);
  }
  sleep(600);
  MPI_Finalize();
  return 0;
}
