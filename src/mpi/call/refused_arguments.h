// SPDX-License-Identifier: BSD-3-Clause
// Arguments that the MPI library refuses although a schedule could be run with them. It reports
// them itself: such a call is left to it on this rank, and ranks whose own arguments are right go
// on.
#pragma once

#include "mpi/call/call_arguments.h"

namespace quadrille {

// Whether the library would refuse the call on this rank of `ranks`, as far as shape_of() does not
// find out itself. Of predefined types it asks nothing of the library. REQUIRES: a root within the
// communicator.
bool would_be_refused(const CallArguments& call, Rank rank, Rank ranks);

}  // namespace quadrille
