/* SPDX-License-Identifier: BSD-3-Clause
 * handles TURNS: small calls with handles that are freed and come again for something else, on a
 * communicator that does so too: derived types of other sizes, user operations that do another
 * thing, other roots. Prints how many results were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 16 };

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int at = 0; at < *count; ++at) ((int*)inout)[at] += ((int*)in)[at];
}

static void take_larger(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int at = 0; at < *count; ++at)
    if (((int*)in)[at] > ((int*)inout)[at]) ((int*)inout)[at] = ((int*)in)[at];
}

static int broadcast(MPI_Comm comm, MPI_Datatype type, int count, int elements, int root,
                     int turn) {
  int rank, wrong = 0, data[most];
  MPI_Comm_rank(comm, &rank);
  for (int at = 0; at < elements; ++at) data[at] = rank == root ? 100 * turn + at : -1;
  MPI_Bcast(data, count, type, root, comm);
  for (int at = 0; at < elements; ++at) wrong += data[at] != 100 * turn + at;
  return wrong;
}

static int reduce(MPI_Comm comm, int turn) {
  int rank, ranks, result = -1;
  MPI_Op op;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Op_create(turn % 2 == 0 ? add : take_larger, 1, &op);
  MPI_Allreduce(&rank, &result, 1, MPI_INT, op, comm);
  MPI_Op_free(&op);
  return result != (turn % 2 == 0 ? ranks * (ranks - 1) / 2 : ranks - 1);
}

int main(int argc, char** argv) {
  const int turns = argc > 1 ? atoi(argv[1]) : 50;
  int rank, ranks, wrong = 0, all_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int turn = 0; turn < turns; ++turn) {
    const int elements = 1 + turn % most;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Comm_split(MPI_COMM_WORLD, 0, turn % 2 == 0 ? rank : -rank, &comm);
    MPI_Type_contiguous(elements, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int again = 0; again < 3; ++again) {
      wrong += broadcast(comm, type, 1, elements, turn % ranks, turn);
      wrong += broadcast(comm, MPI_INT, elements, elements, again % ranks, turn);
      wrong += reduce(comm, turn + again);
    }
    MPI_Type_free(&type);
#if MPI_VERSION >= 4
    MPI_Type_contiguous_c(elements, MPI_INT, &type);
    MPI_Type_commit(&type);
    wrong += broadcast(comm, type, 1, elements, 0, turn);
    MPI_Type_free(&type);
#endif
    MPI_Comm_free(&comm);
  }
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong=%d\n", all_wrong);
  MPI_Finalize();
  return 0;
}
