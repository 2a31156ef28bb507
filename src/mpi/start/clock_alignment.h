// SPDX-License-Identifier: BSD-3-Clause
// Measures each rank's clock against rank 0's by short messages, one rank after the other.
#pragma once

#include <mpi.h>

#include "base/shared_clock.h"

namespace quadrille {

// Collective over `communicator`. Each rank but 0 exchanges `exchanges` messages with rank 0 and
// gets the estimate of the fastest; rank 0's clock is the reference and has offset 0.
OffsetEstimate measure_offset(MPI_Comm communicator, int exchanges);

}  // namespace quadrille
