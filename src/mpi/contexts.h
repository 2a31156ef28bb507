// SPDX-License-Identifier: BSD-3-Clause
// Context numbers: each communicator's messages on the shadow communicator carry one, agreed among
// its ranks inside the user's own creating call. Thread rule: any thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "base/context_numbers.h"

namespace quadrille {

class Contexts {
 public:
  static constexpr int bits = ContextNumbers::bits;

  // Agrees with the other ranks of `communicator`, of which this process, the world's `world_rank`,
  // has `rank`, on a number free on all of them. Collective over it. Empty when there is none left:
  // the same answer on every rank.
  std::optional<std::uint32_t> agree(MPI_Comm communicator, int rank, int world_rank);
  void release(std::uint32_t context) { numbers_.release(context); }

 private:
  ContextNumbers numbers_;
};

}  // namespace quadrille
