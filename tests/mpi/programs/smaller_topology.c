/* SPDX-License-Identifier: BSD-3-Clause
 * smaller_topology [cart | graph | split]: collectives on a communicator of all processes but the
 * last, and on its duplicate. With a preloaded liar (tests/mpi/programs/liar) the MPI library
 * contradicts itself about it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

static MPI_Comm made_as(const char* how) {
  MPI_Comm made = MPI_COMM_NULL;
  const int n = size - 1;
  if (strcmp(how, "graph") == 0) {
    int index[64], edges[64];
    for (int i = 0; i < n; ++i) {
      index[i] = i + 1;
      edges[i] = (i + 1) % n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 0, &made);
  } else if (strcmp(how, "cart") == 0) {
    const int sizes[1] = {n}, periods[1] = {1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &made);
  } else {
    MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &made);
  }
  return made;
}

static void check(MPI_Comm comm, int bytes) {
  int members = 0, me = 0;
  MPI_Comm_size(comm, &members);
  MPI_Comm_rank(comm, &me);
  char* from = malloc((size_t)bytes * (size_t)size);
  char* into = calloc((size_t)size, (size_t)bytes);
  memset(from, me, (size_t)bytes * (size_t)size);
  for (int call = 0; call < 12; ++call)
    MPI_Alltoall(from, bytes, MPI_CHAR, into, bytes, MPI_CHAR, comm);
  for (int peer = 0; peer < size - 1; ++peer)
    expect(into[(size_t)peer * (size_t)bytes] == peer, "alltoall");
  int one = 1, sum = 0;
  for (int call = 0; call < 20; ++call) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == size - 1, "allreduce");
  }
  free(from);
  free(into);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm = made_as(argc > 1 ? argv[1] : "split"), dup;
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_dup(comm, &dup);
    check(comm, 4096);
    check(dup, 4096);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&comm);
  }
  long mine[2] = {checks, failures}, total[2] = {0, 0};
  MPI_Reduce(mine, total, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", total[0], total[1]);
  MPI_Finalize();
  return 0;
}
