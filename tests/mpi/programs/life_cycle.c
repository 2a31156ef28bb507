/* SPDX-License-Identifier: BSD-3-Clause
 * life_cycle CYCLES: communicators are created and freed CYCLES times while others live, memory
 * stays flat; attribute callbacks run as often as the standard says; invalid arguments reach the
 * program's error handler; a forked child does no harm. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"

static int copies, deletions;

static int copied(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

static int sum_works(MPI_Comm comm) {
  int one = 1, sum = 0, members;
  MPI_Comm_size(comm, &members);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum == members;
}

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = -1;
  if (file != NULL) fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void attributes(void) {
  int key;
  MPI_Comm duplicate, half;
  MPI_Comm_create_keyval(copied, deleted, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  expect(copies == 0 && deletions == 0, "attribute callbacks at MPI_Comm_set_attr");
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  expect(copies == 1, "one copy at MPI_Comm_dup");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  expect(copies == 1, "no copy at MPI_Comm_split");
  expect(sum_works(duplicate) && sum_works(half), "collectives on new communicators");
  MPI_Comm_free(&half);
  MPI_Comm_free(&duplicate);
  expect(deletions == 1, "one deletion at MPI_Comm_free");
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  expect(deletions == 2, "one deletion at MPI_Comm_delete_attr");
  MPI_Comm_free_keyval(&key);
}

static void cycles(int number) {
  MPI_Comm keep[5];
  long before = 0;
  for (int i = 0; i < 5; ++i)
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 == 0 ? rank : -rank, &keep[i]);
  for (int i = 0; i < number; ++i) {
    MPI_Comm made;
    MPI_Comm_split(keep[i % 5], 0, rank, &made);
    if (i % 50 == 0) expect(sum_works(made), "a collective on a created communicator");
    MPI_Comm_free(&made);
    if (i == number / 5) before = resident_kib();
  }
  const long grown = resident_kib() - before;
  if (grown > 4096) printf("rank %d grew by %ld KiB\n", rank, grown);
  expect(grown <= 4096, "memory stays flat");
  for (int i = 0; i < 5; ++i)
    expect(sum_works(keep[i]), "a collective on a communicator that lived on");
  for (int i = 0; i < 5; ++i) MPI_Comm_free(&keep[i]);
}

static int handled;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}

static void errors(void) {
  int value = 0;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  expect(MPI_Bcast(&value, 1, MPI_INT, size + 7, comm) != MPI_SUCCESS, "a root that is not there");
  expect(MPI_Bcast(&value, -1, MPI_INT, 0, comm) != MPI_SUCCESS, "a negative count");
#ifdef OPEN_MPI /* MPICH 5 itself fails an assertion there */
  expect(MPI_Allreduce(&value, &value, 1, MPI_DATATYPE_NULL, MPI_SUM, comm) != MPI_SUCCESS,
         "no datatype");
#endif
  expect(MPI_Reduce(&value, &value, 1, MPI_INT, MPI_OP_NULL, 0, comm) != MPI_SUCCESS,
         "no operation");
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const int two[2] = {1, 2};
  int sums[2] = {0, 0};
  expect(MPI_Allreduce(two, sums, 1, pair, MPI_SUM, comm) != MPI_SUCCESS,
         "an operation of MPI's own on a type of the program's");
  MPI_Type_free(&pair);
  MPI_Errhandler own;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(comm, own);
  MPI_Bcast(&value, 1, MPI_INT, -5, comm);
  expect(handled == 1, "the program's own error handler");
  expect(sum_works(comm), "a collective after errors");
  MPI_Errhandler_free(&own);
  MPI_Comm_free(&comm);
}

static void forks(void) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a program started by fork and exec");
  const pid_t second = fork();
  if (second == 0) _exit(0);
  waitpid(second, &status, 0);
  expect(sum_works(MPI_COMM_WORLD), "a collective after a fork");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  attributes();
  errors();
  forks();
  cycles(argc > 1 ? atoi(argv[1]) : 1000);
  const long mine[] = {checks, failures};
  long total[2] = {0, 0};
  MPI_Reduce(mine, total, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", total[0], total[1]);
  MPI_Finalize();
  return 0;
}
