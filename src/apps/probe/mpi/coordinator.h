// SPDX-License-Identifier: BSD-3-Clause
// What each rank of the prober does. Rank 0 coordinates and reports; the other hosts' agents serve
// it; all other ranks sleep. Afterwards the MPI library's own calls are measured by all.
#pragma once

#include "apps/probe/mpi/prober_world.h"
#include "apps/probe/options.h"

namespace quadrille::probe {

// Collective over MPI_COMM_WORLD. Returns the exit code. An error that leaves ranks behind which
// cannot be told ends the job by PMPI_Abort.
int run_prober(const ProberWorld& world, const ProberOptions& options);

}  // namespace quadrille::probe
