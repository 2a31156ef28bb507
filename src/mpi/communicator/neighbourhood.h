// SPDX-License-Identifier: BSD-3-Clause
// Whom a rank exchanges blocks with in the neighbourhood collectives of a communicator.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "base/units.h"

namespace quadrille {

// `block` counts among those that the program's buffer has, one an edge of the topology.
struct Neighbour {
  Rank rank = 0;
  int block = 0;
};

// Without edges to MPI_PROC_NULL. The n-th block from a rank is the n-th that it has for this one.
struct Neighbourhood {
  std::vector<Neighbour> targets;
  std::vector<Neighbour> sources;
  int blocks_sent = 0;  // of the program's buffers
  int blocks_received = 0;
};

// As the MPI library sees them in its blocking or nonblocking calls; nothing where the communicator
// has no topology. Sends nothing. May throw std::bad_alloc.
std::optional<Neighbourhood> neighbourhood_on(MPI_Comm comm, bool in_nonblocking_calls);

}  // namespace quadrille
