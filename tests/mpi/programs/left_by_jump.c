/* SPDX-License-Identifier: BSD-3-Clause
 * left_by_jump handler | operation: one rank leaves a call by longjmp, out of its error handler or
 * out of an operation of its own. What follows on other communicators goes on as if nothing had
 * been: also the same collective, called from deeper in the stack. */
#include <mpi.h>
#include <setjmp.h>
#include <string.h>

#include "checks.h"

static jmp_buf back;
static int jumps;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  longjmp(back, 1);
}

static void sum_or_jump(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  if (jumps) longjmp(back, 1);
  for (int i = 0; i < *count; ++i) ((int*)into)[i] += ((int*)from)[i];
}

static void sums(MPI_Op op, int round) {
  volatile char deeper[512];
  for (unsigned i = 0; i < sizeof deeper; ++i) deeper[i] = (char)i;
  int own = rank + round, sum = 0, message = rank == round % size ? round : -1;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  expect(sum == size * (size - 1) / 2 + size * round, "allreduce");
  MPI_Bcast(&message, 1, MPI_INT, round % size, MPI_COMM_WORLD);
  expect(message == round, "bcast");
}

int main(int argc, char** argv) {
  const int by_handler = argc > 1 && strcmp(argv[1], "handler") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm other;
  MPI_Errhandler jumping;
  MPI_Op op;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_create_errhandler(handler, &jumping);
  MPI_Op_create(sum_or_jump, 1, &op);
  int value = 1, sum = 0;
  if (by_handler) {
    MPI_Comm_set_errhandler(other, jumping);
    if (rank == 1 && !setjmp(back)) MPI_Bcast(&value, 1, MPI_INT, -5, other);
  } else {
    /* The root combines, and alone: nobody waits for what it does not send any more. */
    jumps = rank == 0;
    if (!setjmp(back)) MPI_Reduce(&value, &sum, 1, MPI_INT, op, 0, other);
    jumps = 0;
  }
  for (int round = 0; round < 20; ++round) sums(by_handler ? MPI_SUM : op, round);
  long total = 0;
  MPI_Reduce(&failures, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", checks, total);
  MPI_Finalize();
  return 0;
}
