/* SPDX-License-Identifier: BSD-3-Clause
 * unlike_lengths COUNT FACTOR COLLECTIVE...: rank 0 names FACTOR times as many elements as the
 * others, who name COUNT. Somebody is told by MPI_ERR_TRUNCATE, and the next communicator hears
 * nothing of it. Messages are short enough for no rank to wait until another has taken them. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

static int call(const char* collective, const double* from, double* into, int count,
                MPI_Comm comm) {
  if (strcmp(collective, "bcast") == 0) return MPI_Bcast(into, count, MPI_DOUBLE, 0, comm);
  if (strcmp(collective, "reduce") == 0)
    return MPI_Reduce(from, into, count, MPI_DOUBLE, MPI_SUM, 1, comm);
  if (strcmp(collective, "allreduce") == 0)
    return MPI_Allreduce(from, into, count, MPI_DOUBLE, MPI_SUM, comm);
  if (strcmp(collective, "allgather") == 0)
    return MPI_Allgather(from, count, MPI_DOUBLE, into, count, MPI_DOUBLE, comm);
  if (strcmp(collective, "alltoall") == 0)
    return MPI_Alltoall(from, count, MPI_DOUBLE, into, count, MPI_DOUBLE, comm);
  if (strcmp(collective, "gather") == 0)
    return MPI_Gather(from, count, MPI_DOUBLE, into, count, MPI_DOUBLE, 1, comm);
  if (strcmp(collective, "scan") == 0)
    return MPI_Scan(from, into, count, MPI_DOUBLE, MPI_SUM, comm);
  return MPI_ERR_ARG;
}

static int is_truncated(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class == MPI_ERR_TRUNCATE;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int least = argc > 3 ? atoi(argv[1]) : 0;
  const int factor = argc > 3 ? atoi(argv[2]) : 0;
  const size_t most = (size_t)least * (size_t)factor * (size_t)factor * (size_t)size;
  double* from = calloc(most + 1, sizeof *from);
  double* into = calloc(most + 1, sizeof *into);
  expect(least > 0 && factor > 1, "arguments");
  for (int i = 3; i < argc; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int told =
        is_truncated(call(argv[i], from, into, rank == 0 ? least * factor : least, comm));
    int somebody = 0;
    expect(MPI_Allreduce(&told, &somebody, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS,
           "the next call");
    expect(somebody, argv[i]);
    MPI_Comm_free(&comm);
  }
  free(into);
  free(from);
  long all[2] = {0, 0}, own[2] = {checks, failures};
  MPI_Reduce(own, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", all[0], all[1]);
  MPI_Finalize();
  return rank == 0 && all[1] > 0;
}
