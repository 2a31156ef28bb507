/* SPDX-License-Identifier: BSD-3-Clause
 * Elements that have an extent but no bytes, three of them in every collective that moves data:
 * nothing is read, nothing is written, nothing is refused. */
#include <mpi.h>

#include "checks.h"

enum { LONGS = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype empty, type;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_create_resized(empty, 0, sizeof(long), &type);
  MPI_Type_commit(&type);
  long from[LONGS], into[LONGS];
  int counts[LONGS], starts[LONGS];
  for (int i = 0; i < LONGS; ++i) {
    from[i] = i;
    into[i] = -1;
    counts[i] = 3;
    starts[i] = 3 * i;
  }
  const MPI_Comm world = MPI_COMM_WORLD;
  expect(MPI_Bcast(into, 3, type, 0, world) == MPI_SUCCESS, "bcast");
  expect(MPI_Gather(from, 3, type, into, 3, type, 0, world) == MPI_SUCCESS, "gather");
  expect(MPI_Scatter(from, 3, type, into, 3, type, 0, world) == MPI_SUCCESS, "scatter");
  expect(MPI_Allgather(from, 3, type, into, 3, type, world) == MPI_SUCCESS, "allgather");
  expect(MPI_Alltoall(from, 3, type, into, 3, type, world) == MPI_SUCCESS, "alltoall");
  expect(MPI_Allgatherv(from, 3, type, into, counts, starts, type, world) == MPI_SUCCESS,
         "allgatherv");
  expect(MPI_Gatherv(from, 3, type, into, counts, starts, type, 0, world) == MPI_SUCCESS,
         "gatherv");
  expect(MPI_Scatterv(from, counts, starts, type, into, 3, type, 0, world) == MPI_SUCCESS,
         "scatterv");
  expect(
      MPI_Alltoallv(from, counts, starts, type, into, counts, starts, type, world) == MPI_SUCCESS,
      "alltoallv");
  for (int i = 0; i < LONGS; ++i) expect(from[i] == i && into[i] == -1, "memory is untouched");
  long total = 0;
  MPI_Reduce(&failures, &total, 1, MPI_LONG, MPI_SUM, 0, world);
  if (rank == 0) printf("checks=%ld failures=%ld\n", checks, total);
  MPI_Type_free(&type);
  MPI_Type_free(&empty);
  MPI_Finalize();
  return 0;
}
