// SPDX-License-Identifier: BSD-3-Clause
// Communicators of parts of a communicator: schedules whose group steps are left to the MPI library
// need one of the group's ranks. Making one waits for all of these, so whether one is there already
// has to be answered alike by all of them, although each rank is in groups of its own: a
// broadcast's group has another root each time. So all are kept, and given up together at the same
// calls of the communicator, which all of its ranks make.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <vector>

#include "schedule/shape.h"

namespace quadrille {

class GroupCommunicators {
 public:
  // How many calls a group is kept, so how many there are at most.
  static constexpr std::uint32_t most_calls = 64;

  // For one call of the communicator, whose tag is `tag`; called by all of its ranks, each with the
  // group that it is in, or none (MPI_COMM_NULL then). `world_ranks`: of the communicator's ranks,
  // in `world`. Returns an MPI error code. Waits for the group's other ranks without a report.
  int find(const std::vector<Rank>& ranks, const std::vector<int>& world_ranks, MPI_Comm world,
           int tag, MPI_Comm* found);
  // REQUIRES: all ranks of the communicator do, after the same calls.
  void free_all();

 private:
  std::map<std::vector<Rank>, MPI_Comm> made_;  // in one order on all ranks, which free_all follows
  std::uint32_t calls_ = 0;
};

}  // namespace quadrille
