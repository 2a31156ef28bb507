// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/contexts.h"

#include <sched.h>

namespace quadrille {

std::optional<std::uint32_t> Contexts::agree(MPI_Comm communicator, int rank, int world_rank) {
  ContextNumbers::Agreement agreement(rank == 0, world_rank);
  for (;;) {
    const ContextNumbers::Offer mine = numbers_.offer(agreement);
    ContextNumbers::Offer common{};
    PMPI_Allreduce(mine.data(), common.data(), static_cast<int>(mine.size()), MPI_UINT64_T,
                   MPI_BAND, communicator);
    if (numbers_.take(agreement, common)) return agreement.number();
    sched_yield();
  }
}

}  // namespace quadrille
