// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a communicator take for the size of calls whose arguments tell each rank its
// own share only (alltoallv): the largest of all ranks since they last compared. They compare at
// growing intervals while the size stays in its class, so that it costs next to nothing, and in
// each call after it has changed.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/units.h"

namespace quadrille {

class AgreedSize {
 public:
  // Of the call that is being made, of which this rank's share is `own`. Equal on all ranks.
  // Collective over `communicator`: all ranks ask once for each call, in the same order.
  Bytes of_call(MPI_Comm communicator, Bytes own);

 private:
  std::uint32_t interval_ = 1;
  std::uint32_t calls_left_ = 0;  // before the next comparison
  Bytes largest_{0};              // of this rank, since the last one
  Bytes agreed_{0};
};

}  // namespace quadrille
