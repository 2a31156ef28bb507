// SPDX-License-Identifier: BSD-3-Clause
// Who the processes of a communicator are, as the MPI library tells, checked against what else it
// tells: a library's error about a communicator must not become a hang
// (MPICH 5.0.2 gives the parent's group for a Cartesian communicator that is smaller).
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace quadrille {

struct Membership {
  std::vector<int> world_ranks;  // [ranks]; empty where they cannot be had
  // What contradicts what; empty where nothing does, as where a process is of another world.
  std::string contradiction;
};

// `rank` and `size` are what the MPI library says of `communicator`; `world` holds the job's
// processes, of which this one is `world_rank`.
Membership membership_of(MPI_Comm communicator, int rank, int size, MPI_Comm world, int world_rank);

// The rank of `world` that rank `rank` of `communicator` is, which has one group; MPI_UNDEFINED:
// none.
int world_rank_of(MPI_Comm communicator, int rank, MPI_Comm world);

}  // namespace quadrille
