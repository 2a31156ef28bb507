// SPDX-License-Identifier: BSD-3-Clause
// Whom this rank's program sends messages to: ranks of MPI_COMM_WORLD in the order in which it has
// first sent to them. Programs that all send to rank 0 first, then to 1, overload one port after
// the other; programs that begin with their neighbour do not.
//
// Thread rule: any thread.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace quadrille {

class Partners {
 public:
  static constexpr std::size_t most = 64;

  // The program has sent to `rank` of `communicator`. Ranks beyond `most`, of other groups and of
  // no process are left out.
  void note(MPI_Comm communicator, int rank);
  std::vector<int> world_ranks() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::uint64_t> seen_;  // communicators' handles, each with a rank
  std::vector<int> world_ranks_;
};

}  // namespace quadrille
