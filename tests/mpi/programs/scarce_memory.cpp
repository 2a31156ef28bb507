// SPDX-License-Identifier: BSD-3-Clause
// scarce_memory N: on every rank the N-th allocation in a row of collectives fails, once, by
// whoever makes it in C++. A call returns MPI_ERR_NO_MEM or goes on; no exception crosses MPI. Who
// is told of an error ends the job with exit code 77, as others wait for it then.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

namespace {

thread_local long left = -1;  // allocations of this thread till one fails; negative: none will

void* allocate(std::size_t bytes) {
  if (left >= 0 && left-- == 0) return nullptr;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

bool told = false;

void look_at(int code) {
  left = -1;
  if (code == MPI_SUCCESS) return;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  if (error_class != MPI_ERR_NO_MEM) {
    std::printf("wrong class %d\n", error_class);
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  told = true;
  MPI_Abort(MPI_COMM_WORLD, 77);
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  const long fails_at = argc > 1 ? std::atol(argv[1]) : 0;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int count = 3000;
  std::vector<int> from(static_cast<std::size_t>(count * size), rank);
  std::vector<int> into(from.size());
  std::vector<int> counts(static_cast<std::size_t>(size), count);
  std::vector<int> starts(counts.size());
  for (int peer = 0; peer < size; ++peer) starts[static_cast<std::size_t>(peer)] = peer * count;
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  MPI_Type_vector(count / 3, 1, 3, MPI_INT, &strided);
  MPI_Type_commit(&strided);

  const auto failing = [&](const auto& call) {
    left = fails_at;
    look_at(call());
  };
  MPI_Comm dup = MPI_COMM_NULL;
  failing([&] { return MPI_Comm_dup(MPI_COMM_WORLD, &dup); });
  for (const MPI_Comm comm : {MPI_COMM_WORLD, dup}) {
    failing([&] { return MPI_Bcast(from.data(), count, MPI_INT, 0, comm); });
    failing([&] { return MPI_Bcast(into.data(), 1, strided, 0, comm); });
    failing([&] { return MPI_Allreduce(from.data(), into.data(), count, MPI_INT, MPI_SUM, comm); });
    failing([&] {
      return MPI_Alltoall(from.data(), count, MPI_INT, into.data(), count, MPI_INT, comm);
    });
    failing([&] {
      return MPI_Alltoallv(from.data(), counts.data(), starts.data(), MPI_INT, into.data(),
                           counts.data(), starts.data(), MPI_INT, comm);
    });
    failing([&] {
      return MPI_Allgather(from.data(), count, MPI_INT, into.data(), count, MPI_INT, comm);
    });
  }
  if (rank == 0) std::printf("done=1\n");
  MPI_Finalize();
  return 0;
}
