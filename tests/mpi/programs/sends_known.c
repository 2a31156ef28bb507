/* SPDX-License-Identifier: BSD-3-Clause
 * Messages of known sizes to known ranks, of four ranks: in a communicator whose ranks stand the
 * other way round, and in the world. Prints failures=N. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { LONG = 65536 };

int main(int argc, char** argv) {
  static char sent[LONG], received[LONG];
  int rank, ranks, reversed_rank, failures = 0;
  MPI_Comm reversed;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_rank(reversed, &reversed_rank);
  memset(sent, rank, sizeof sent);
  for (int i = 0; i < 10; ++i) {
    MPI_Sendrecv(sent, 1000, MPI_CHAR, (reversed_rank + 1) % ranks, 0, received, 1000, MPI_CHAR,
                 (reversed_rank + ranks - 1) % ranks, 0, reversed, MPI_STATUS_IGNORE);
    failures += received[999] != (rank + 1) % ranks;
  }
  for (int i = 0; i < 5; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(received, 2, MPI_DOUBLE, (rank + 2) % ranks, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, 2, MPI_DOUBLE, (rank + 2) % ranks, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    failures += received[15] != (rank + 2) % ranks;
  }
  if (rank % 2 == 0) {
    MPI_Ssend(sent, 1, MPI_CHAR, rank + 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Message message;
    MPI_Mprobe(rank - 1, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(received, 1, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    failures += received[0] != rank - 1;
  }
  for (int i = 0; i < 3; ++i)
    MPI_Sendrecv_replace(received, LONG, MPI_CHAR, (rank + 1) % ranks, 3, MPI_ANY_SOURCE, 3,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_free(&reversed);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("failures=%d\n", failures);
  MPI_Finalize();
  return failures != 0;
}
