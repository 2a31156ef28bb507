// SPDX-License-Identifier: BSD-3-Clause
// What the MPI library's own calls cost here: messages between two hosts, and collectives of all
// ranks at a few sizes, so that the planner knows whom it has to beat.
//
// The slowest rank counts, from a barrier on. Sizes grow until the next would not fit the time that
// is left, as the last one foretells.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/probe/mpi/prober_world.h"
#include "network/model/model.h"

namespace quadrille::probe {

inline constexpr std::int64_t kMpiCostBudgetNs = 2'000'000'000;

// Collective over MPI_COMM_WORLD; the result is rank 0's, empty on the others.
std::vector<MpiCost> measure_mpi_costs(const ProberWorld& world);

}  // namespace quadrille::probe
