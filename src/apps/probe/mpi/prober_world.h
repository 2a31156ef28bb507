// SPDX-License-Identifier: BSD-3-Clause
// The job that probes: which ranks share a host, and who of them is the host's agent - the lowest.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "probe/round.h"

namespace quadrille::probe {

class ProberWorld {
 public:
  // Collective over MPI_COMM_WORLD.
  ProberWorld();
  ~ProberWorld();
  ProberWorld(const ProberWorld&) = delete;
  ProberWorld& operator=(const ProberWorld&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(host_of_rank_.size()); }
  HostIndex hosts() const { return static_cast<HostIndex>(agent_of_host_.size()); }
  HostIndex own_host() const { return host_of_rank_[static_cast<std::size_t>(rank_)]; }
  // World rank of a host's agent.
  int agent_of(HostIndex host) const { return agent_of_host_[host]; }
  bool is_agent() const { return agent_of(own_host()) == rank_; }
  bool coordinates() const { return rank_ == 0; }
  std::uint32_t ranks_on_own_host() const;
  // One rank a host, in the hosts' order; MPI_COMM_NULL on the others. Its errors return.
  MPI_Comm agents() const { return agents_; }

  // All ranks learn rank 0's number, sleeping meanwhile: it may take as long as the probe does.
  int await_word_of_coordinator(int word) const;

 private:
  int rank_ = 0;
  std::vector<HostIndex> host_of_rank_;
  std::vector<int> agent_of_host_;
  MPI_Comm agents_ = MPI_COMM_NULL;
  MPI_Comm words_ = MPI_COMM_NULL;
};

}  // namespace quadrille::probe
