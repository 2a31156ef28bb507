// SPDX-License-Identifier: BSD-3-Clause
// The shape of a call: what of its arguments decisions may depend on.
#pragma once

#include <optional>

#include "mpi/call/call_arguments.h"
#include "schedule/shape.h"

namespace quadrille {

// Nothing for arguments that are errors: the MPI library reports those. Only what is equal on all
// ranks goes in, but for in_place. `rank` and `ranks` are those of the communicator.
std::optional<Shape> shape_of(const CallArguments& call, Rank rank, Rank ranks);

// The mean block that this rank knows of: what it sends in an alltoallv or to its neighbours; in a
// gatherv or scatterv all of the root's, and nothing elsewhere. REQUIRES: `rank` has the call's
// shape.
Bytes mean_block(const CallArguments& call, const Shape& shape, Rank rank);

}  // namespace quadrille
