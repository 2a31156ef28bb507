// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/group_communicators.h"

namespace quadrille {
namespace {

int make(const std::vector<int>& members, MPI_Comm world, int tag, MPI_Comm* made) {
  MPI_Group everyone = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(world, &everyone);
  PMPI_Group_incl(everyone, static_cast<int>(members.size()), members.data(), &group);
  // Open MPI sends messages with the tag for it, on `world`: it is this call's own, whose other
  // messages follow.
  const int code = PMPI_Comm_create_group(world, group, tag, made);
  PMPI_Group_free(&group);
  PMPI_Group_free(&everyone);
  if (code != MPI_SUCCESS) return code;
  return PMPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);  // MPICH hands on none
}

}  // namespace

int GroupCommunicators::find(const std::vector<Rank>& ranks, const std::vector<int>& world_ranks,
                             MPI_Comm world, int tag, MPI_Comm* found) {
  if (calls_++ % most_calls == 0) free_all();
  *found = MPI_COMM_NULL;
  if (ranks.empty()) return MPI_SUCCESS;
  const auto [place, is_new] = made_.try_emplace(ranks, MPI_COMM_NULL);
  if (is_new) {
    std::vector<int> members;
    members.reserve(ranks.size());
    for (const Rank rank : ranks) members.push_back(world_ranks[static_cast<std::size_t>(rank)]);
    if (const int code = make(members, world, tag, &place->second); code != MPI_SUCCESS) {
      made_.erase(place);
      return code;
    }
  }
  *found = place->second;
  return MPI_SUCCESS;
}

void GroupCommunicators::free_all() {
  for (auto& [ranks, communicator] : made_) PMPI_Comm_free(&communicator);
  made_.clear();
}

}  // namespace quadrille
