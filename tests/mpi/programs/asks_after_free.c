/* SPDX-License-Identifier: BSD-3-Clause
 * Who has executed the latest collective is asked once more when its communicator has been freed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "checks.h"

typedef int (*ask_fn)(char* text, int size);

int main(int argc, char** argv) {
  char before[256] = "", after[256] = "";
  int data = 0;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const ask_fn ask = (ask_fn)(uintptr_t)dlsym(RTLD_DEFAULT, "quadrille_last_execution");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Bcast(&data, 1, MPI_INT, 0, comm);
  expect(ask != NULL && ask(before, sizeof before) > 0, "that somebody knows");
  expect(strncmp(before, "executor=quadrille algorithm=", 29) == 0, before);
  MPI_Comm_free(&comm);
  if (ask != NULL) ask(after, sizeof after);
  expect(strcmp(before, after) == 0, after);
  long all[2] = {checks, failures}, sums[2] = {0, 0};
  PMPI_Reduce(all, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", sums[0], sums[1]);
  MPI_Finalize();
  return failures > 0;
}
