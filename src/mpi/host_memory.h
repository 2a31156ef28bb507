// SPDX-License-Identifier: BSD-3-Clause
// Zeroed memory that the ranks of one host share, or each rank's own where they cannot share any.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace quadrille {

class HostMemory {
 public:
  // Collective over `ranks`, the ranks of one host.
  HostMemory(MPI_Comm ranks, std::size_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* address() const { return address_; }
  bool shared() const { return shared_; }

 private:
  void* map(const std::string& name, int flags) const;

  std::size_t bytes_;
  void* address_ = nullptr;
  bool shared_ = false;
};

}  // namespace quadrille
