/* SPDX-License-Identifier: BSD-3-Clause
 * mixed_names [BYTES]: some ranks call collectives by their MPI_ names, others by their PMPI_
 * names, as tools and layers do; the standard makes both the same call. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "executed.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = argc > 1 ? atoi(argv[1]) / (int)sizeof(int) : 1;
  MPI_Comm half, dup;
  const int by_pmpi = rank % 2;
  /* Also the communicators that some ranks make by one name and others by the other. */
  if (by_pmpi) {
    PMPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &half);
    PMPI_Comm_dup(half, &dup);
  } else {
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &half);
    MPI_Comm_dup(half, &dup);
  }
  int* own = malloc((size_t)count * sizeof *own);
  int* sum = malloc((size_t)count * sizeof *sum);
  int* blocks = malloc((size_t)count * (size_t)size * sizeof *blocks);
  int replaced = 0;
  for (int round = 0; round < 30; ++round) {
    const MPI_Comm comm = round % 3 == 0 ? MPI_COMM_WORLD : round % 3 == 1 ? half : dup;
    for (int i = 0; i < count; ++i) own[i] = rank + round;
    if (by_pmpi) {
      PMPI_Allreduce(own, sum, count, MPI_INT, MPI_SUM, comm);
      replaced += executed_by_quadrille();
      PMPI_Allgather(own, count, MPI_INT, blocks, count, MPI_INT, comm);
    } else {
      MPI_Allreduce(own, sum, count, MPI_INT, MPI_SUM, comm);
      replaced += executed_by_quadrille();
      MPI_Allgather(own, count, MPI_INT, blocks, count, MPI_INT, comm);
    }
    const int expected = size * (size - 1) / 2 + size * round;
    expect(sum[0] == expected && sum[count - 1] == expected, "allreduce");
    for (int peer = 0; peer < size; ++peer) {
      const int of_peer = comm == MPI_COMM_WORLD ? peer : size - 1 - peer;
      expect(blocks[(size_t)peer * (size_t)count] == of_peer + round, "allgather");
    }
  }
  long total = 0;
  MPI_Reduce(&failures, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  int least = 0;
  MPI_Reduce(&replaced, &least, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld replaced=%d\n", checks, total, least);
  free(own);
  free(sum);
  free(blocks);
  MPI_Finalize();
  return 0;
}
