/* SPDX-License-Identifier: BSD-3-Clause
 * A program that is wrong: to rank 0 an operation commutes, to the others it does not. Ranks that
 * decide by it decide differently. */
#include <mpi.h>
#include <stdio.h>

static void sum(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)into)[i] += ((int*)from)[i];
}

int main(int argc, char** argv) {
  int rank, own[1000] = {0}, all[1000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op op;
  MPI_Op_create(sum, rank == 0, &op);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(own, all, 1000, MPI_INT, op, MPI_COMM_WORLD);
  if (rank == 0) puts("went on");
  MPI_Finalize();
  return 0;
}
