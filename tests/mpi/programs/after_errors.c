/* SPDX-License-Identifier: BSD-3-Clause
 * after_errors CASE: a program whose errors return, and that goes on.
 * operation: an operation that MPI does not define for its type. leftovers: ranks that name unlike
 * lengths; the next communicator hears nothing of what the failed call has left. memory: there is
 * not enough for a call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "checks.h"
#include "executed.h"

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

static void operation(void) {
  double of[2] = {1, 2}, into[2] = {0, 0};
  expect(MPI_Allreduce(of, into, 2, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD) != MPI_SUCCESS,
         "bits of real numbers");
  expect(MPI_Reduce(of, into, 1, MPI_DOUBLE, MPI_MAXLOC, 0, MPI_COMM_WORLD) != MPI_SUCCESS,
         "the place of a number without one");
  const struct {
    double value;
    int place;
  } own = {(double)-rank, rank};
  struct {
    double value;
    int place;
  } most = {0, -1};
  expect(MPI_Allreduce(&own, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD) == MPI_SUCCESS,
         "the place of a number with one");
  expect(most.place == 0 && most.value == 0, "whose number is the largest");
  expect(executed_by_quadrille(), "by Quadrille");
}

static void leftovers(void) {
  enum { many = 16384, few = 3000 };
  char* bytes = calloc(many, 1);
  MPI_Comm failing, next;
  // Each of Quadrille's numbers for communicators is used once before one is used again.
  for (int i = 0; i < 64; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &next);
    MPI_Comm_free(&next);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &failing);
  const int code = MPI_Bcast(bytes, rank == 0 ? many : few, MPI_BYTE, 0, failing);
  expect(rank == 0 || class_of(code) == MPI_ERR_TRUNCATE, "a message that is too long");
  MPI_Comm_free(&failing);
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  memset(bytes, rank == 0 ? 7 : 1, many);
  expect(MPI_Bcast(bytes, many, MPI_BYTE, 0, next) == MPI_SUCCESS, "a broadcast after it");
  int right = 1;
  for (int i = 0; i < many; ++i) right = right && bytes[i] == 7;
  expect(right, "what that has brought");
  MPI_Comm_free(&next);
  free(bytes);
}

static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void memory(void) {
  enum { elements = 4 << 20, span = 24 };
  const size_t bytes = (size_t)elements * span * (size_t)size;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char* from = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  char* into = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  expect(from != MAP_FAILED && into != MAP_FAILED, "memory of the program's own");
  MPI_Datatype with_gap;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &with_gap);
  MPI_Type_commit(&with_gap);
  struct rlimit before, tight;
  getrlimit(RLIMIT_AS, &before);
  tight = before;
  tight.rlim_cur = address_space() + (32 << 20);
  MPI_Barrier(MPI_COMM_WORLD);
  setrlimit(RLIMIT_AS, &tight);
  const int code = MPI_Alltoall(from, elements, with_gap, into, elements, with_gap, MPI_COMM_WORLD);
  setrlimit(RLIMIT_AS, &before);
  expect(class_of(code) == MPI_ERR_NO_MEM, "that there is no memory");
  MPI_Type_free(&with_gap);
  int one = 1, sum = 0;
  expect(
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && sum == size,
      "a call after it");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const char* name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "operation") == 0) operation();
  if (strcmp(name, "leftovers") == 0) leftovers();
  if (strcmp(name, "memory") == 0) memory();
  long all[2] = {checks, failures}, sums[2] = {0, 0};
  MPI_Reduce(all, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", sums[0], sums[1]);
  MPI_Finalize();
  return failures > 0;
}
