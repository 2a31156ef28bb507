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

struct MulticastAgreement {
  bool has_changed = false;  // the planner's decisions, the same on all ranks
  int mpi_error = MPI_SUCCESS;
};

// Before the call `operation` of `size` for which `chosen` is planned: asks the other ranks where
// that is due. Where multicast has stopped, or is back, one of those that found it says so on
// stderr, once a process each way. Collective. REQUIRES: the runtime is active and has a wire, or
// `chosen` uses no multicast.
MulticastAgreement agree_on_multicast(Communicator& communicator, const Candidate& chosen,
                                      Bytes size, const char* operation);

}  // namespace quadrille
