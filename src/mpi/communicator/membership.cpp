// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/membership.h"

#include <algorithm>
#include <numeric>

namespace quadrille {
namespace {

// Freed with its scope.
class Group {
 public:
  explicit Group(MPI_Comm communicator) {
    if (PMPI_Comm_group(communicator, &handle_) != MPI_SUCCESS) handle_ = MPI_GROUP_NULL;
  }
  ~Group() {
    if (handle_ != MPI_GROUP_NULL) PMPI_Group_free(&handle_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  MPI_Group handle() const { return handle_; }
  int size() const {
    int size = -1;
    if (handle_ == MPI_GROUP_NULL || PMPI_Group_size(handle_, &size) != MPI_SUCCESS) return -1;
    return size;
  }

 private:
  MPI_Group handle_ = MPI_GROUP_NULL;
};

std::string contradiction(int size, int world_rank, const std::vector<int>& world_ranks, int rank,
                          int world_size) {
  if (world_ranks[static_cast<std::size_t>(rank)] != world_rank)
    return "rank " + std::to_string(rank) + " is this process, and its group names another";
  std::vector<int> sorted = world_ranks;
  std::ranges::sort(sorted);
  if (sorted.front() < 0 || sorted.back() >= world_size)
    return "its group has a process that the world of " + std::to_string(world_size) + " has not";
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    return "of " + std::to_string(size) + " ranks two are one process";
  return "";
}

}  // namespace

Membership membership_of(MPI_Comm communicator, int rank, int size, MPI_Comm world,
                         int world_rank) {
  const Group group(communicator);
  const Group world_group(world);
  if (group.size() != size) {
    return {{},
            "MPI_Comm_size says " + std::to_string(size) + ", the group of MPI_Comm_group has " +
                std::to_string(group.size())};
  }
  if (rank < 0 || rank >= size) return {{}, "MPI_Comm_rank says " + std::to_string(rank)};
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size(), MPI_UNDEFINED);
  if (PMPI_Group_translate_ranks(group.handle(), size, ranks.data(), world_group.handle(),
                                 world_ranks.data()) != MPI_SUCCESS)
    return {{}, "its ranks cannot be translated to the world's"};
  // Of other worlds: started by the program, or connected.
  if (std::ranges::find(world_ranks, MPI_UNDEFINED) != world_ranks.end()) return {};
  std::string problem = contradiction(size, world_rank, world_ranks, rank, world_group.size());
  if (!problem.empty()) return {{}, std::move(problem)};
  return {std::move(world_ranks), ""};
}

int world_rank_of(MPI_Comm communicator, int rank, MPI_Comm world) {
  const Group group(communicator);
  const Group world_group(world);
  int world_rank = MPI_UNDEFINED;
  PMPI_Group_translate_ranks(group.handle(), 1, &rank, world_group.handle(), &world_rank);
  return world_rank;
}

}  // namespace quadrille
