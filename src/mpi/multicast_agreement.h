// SPDX-License-Identifier: BSD-3-Clause
// Whether a rank of a communicator has found that what it sends by multicast is not heard
// everywhere. Sending goes on being right, to each alone; what follows is that all ranks take
// another plan, and come back to multicast when all hear it again.
#pragma once

#include <mpi.h>

#include "base/units.h"
#include "planner/candidate.h"

namespace quadrille {

class Communicator;

// Before a call of `size` for which `chosen` is planned: asks the other ranks where that is due.
// Returns whether the planner's decisions have changed, the same on all ranks; where multicast has
// stopped, or is back, one of those that found it says so on stderr, once a process each way.
// Collective over `ranks`, which are the communicator's. REQUIRES: the runtime is active and has a
// wire, or `chosen` uses no multicast.
bool agree_on_multicast(Communicator& communicator, MPI_Comm ranks, const Candidate& chosen,
                        Bytes size);

}  // namespace quadrille
