// SPDX-License-Identifier: BSD-3-Clause
// Measures each rank's clock against rank 0's by short messages, one rank after the other.
#pragma once

#include <mpi.h>

#include "apps/bench/clock.h"

namespace quadrille::bench {

// Collective over `communicator`. Each rank but 0 exchanges `exchanges` messages with rank 0 and
// learns the estimate of the fastest; rank 0's clock is the reference and learns offset 0.
void align_clock(MPI_Comm communicator, int exchanges, SharedClock& clock);

}  // namespace quadrille::bench
