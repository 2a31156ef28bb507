// SPDX-License-Identifier: BSD-3-Clause
// An operation and an error handler of the program's that throw: the exception arrives where the
// call was made, and the calls that follow, on the same communicator too, are right.
#include <mpi.h>

#include <cstring>
#include <stdexcept>

#include "checks.h"

namespace {

bool throws = false;

void sum(void* from, void* into, int* count, MPI_Datatype*) {
  if (throws) throw std::runtime_error("not this one");
  for (int i = 0; i < *count; ++i) static_cast<int*>(into)[i] += static_cast<int*>(from)[i];
}

void throwing_handler(MPI_Comm*, int*, ...) { throw std::runtime_error("an error"); }

template <typename Call>
bool is_left_by_exception(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(sum, 1, &op);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(throwing_handler, &handler);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_set_errhandler(other, handler);
  if (rank == 1) {
    int value = 0;
    expect(is_left_by_exception([&] { MPI_Bcast(&value, 1, MPI_INT, -5, other); }),
           "the handler's");
  }
  for (int round = 0; round < 20; ++round) {
    int own = rank + round;
    int all = 0;
    throws = round == 3 && rank == 0;
    const bool left =
        is_left_by_exception([&] { MPI_Reduce(&own, &all, 1, MPI_INT, op, 0, MPI_COMM_WORLD); });
    expect(left == throws, "the operation's");
    expect(rank != 0 || throws || all == size * (size - 1) / 2 + size * round, "reduce");
    throws = false;
    MPI_Allreduce(&own, &all, 1, MPI_INT, op, MPI_COMM_WORLD);
    expect(all == size * (size - 1) / 2 + size * round, "allreduce");
  }
  long total = 0;
  MPI_Reduce(&failures, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("checks=%ld failures=%ld\n", checks, total);
  MPI_Finalize();
  return 0;
}
