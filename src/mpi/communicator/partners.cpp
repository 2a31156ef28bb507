// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/partners.h"

#include <algorithm>
#include <functional>

#include "mpi/communicator/membership.h"

namespace quadrille {
namespace {

// MPI_UNDEFINED: it is none of the world's.
int partner_of(MPI_Comm communicator, int rank) {
  int is_between_groups = 0;
  PMPI_Comm_test_inter(communicator, &is_between_groups);
  return is_between_groups != 0 ? MPI_UNDEFINED : world_rank_of(communicator, rank, MPI_COMM_WORLD);
}

}  // namespace

void Partners::note(MPI_Comm communicator, int rank) {
  // Whether a call from Fortran has succeeded is not known.
  if (rank < 0 || communicator == MPI_COMM_NULL) return;  // MPI_PROC_NULL
  const std::uint64_t pair =
      std::hash<MPI_Comm>{}(communicator)*0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(rank);
  const std::scoped_lock lock(mutex_);
  if (world_ranks_.size() >= most || !seen_.insert(pair).second) return;
  const int partner = partner_of(communicator, rank);
  if (partner != MPI_UNDEFINED && std::ranges::count(world_ranks_, partner) == 0)
    world_ranks_.push_back(partner);
}

std::vector<int> Partners::world_ranks() const {
  const std::scoped_lock lock(mutex_);
  return world_ranks_;
}

}  // namespace quadrille
