// SPDX-License-Identifier: BSD-3-Clause
// Whether a rank of a communicator has found that what it sends by multicast is no longer heard
// everywhere. Sending goes on being right, to each alone; what follows is that all ranks take
// another plan.
#pragma once

#include <mpi.h>

namespace quadrille {

// The same on all ranks; one of those that found it says so on stderr, once a process. Collective
// over `ranks`. REQUIRES: the runtime is active and has a wire.
bool multicast_has_stopped(MPI_Comm ranks);

}  // namespace quadrille
