// SPDX-License-Identifier: BSD-3-Clause
// The exchange of blocks with neighbours on a two-dimensional torus of all ranks.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "apps/bench/mpi/operations.h"

namespace quadrille::bench {

std::vector<Operation> neighboring_operations();

// A communicator on which `original`'s ranks, in their order, stand on a torus.
MPI_Comm torus_of(MPI_Comm original);

// Whom a rank has there: the lower and the upper one of each dimension; they may be the same.
std::array<int, 4> torus_neighbors(int ranks, int rank);

}  // namespace quadrille::bench
