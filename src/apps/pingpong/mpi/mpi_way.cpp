// SPDX-License-Identifier: BSD-3-Clause
#include "apps/pingpong/mpi/mpi_way.h"

namespace quadrille::pingpong {

void MpiWay::send(std::span<const std::byte> message) {
  MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, other_, 0, MPI_COMM_WORLD,
            &requests_.emplace_back());
}

void MpiWay::receive(std::span<std::byte> message) {
  MPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_BYTE, other_, 0, MPI_COMM_WORLD,
            &requests_.emplace_back());
}

bool MpiWay::complete() {
  const int code =
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
  return code == MPI_SUCCESS;
}

}  // namespace quadrille::pingpong
