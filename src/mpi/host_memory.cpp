// SPDX-License-Identifier: BSD-3-Clause
// POSIX shared memory under a random name that is gone once all have it.
#include "mpi/host_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace quadrille {

HostMemory::HostMemory(MPI_Comm ranks, std::size_t bytes) : bytes_(bytes) {
  int rank = 0;
  PMPI_Comm_rank(ranks, &rank);
  std::array<std::uint64_t, 2> random{};
  std::array<char, 48> name{};
  if (rank == 0 && getrandom(random.data(), sizeof random, 0) == sizeof random) {
    std::snprintf(name.data(), name.size(), "/quadrille-%016llx%016llx",
                  static_cast<unsigned long long>(random[0]),
                  static_cast<unsigned long long>(random[1]));
    address_ = map(name.data(), O_RDWR | O_CREAT | O_EXCL);
    if (address_ == nullptr) {
      shm_unlink(name.data());
      name = {};
    }
  }
  PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, ranks);
  if (rank != 0 && name[0] != '\0') address_ = map(name.data(), O_RDWR);
  int mapped = address_ != nullptr ? 1 : 0;
  int all = 0;
  PMPI_Allreduce(&mapped, &all, 1, MPI_INT, MPI_MIN, ranks);
  if (rank == 0 && name[0] != '\0') shm_unlink(name.data());
  shared_ = all != 0;
  if (shared_) return;
  if (address_ != nullptr) munmap(address_, bytes_);
  void* own = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  address_ = own == MAP_FAILED ? nullptr : own;
}

HostMemory::~HostMemory() {
  if (address_ != nullptr) munmap(address_, bytes_);
}

void* HostMemory::map(const std::string& name, int flags) const {
  const int descriptor = shm_open(name.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return nullptr;
  void* mapped = MAP_FAILED;
  // Taken now: what is missing later ends the process that touches it.
  const bool makes = (flags & O_CREAT) != 0;
  if (!makes || posix_fallocate(descriptor, 0, static_cast<off_t>(bytes_)) == 0)
    mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace quadrille
