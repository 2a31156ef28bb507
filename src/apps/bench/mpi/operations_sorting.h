// SPDX-License-Identifier: BSD-3-Clause
// Rows for the exchanges of a parallel sort.
#pragma once

#include "apps/bench/mpi/operations.h"

namespace quadrille::bench {

std::vector<Operation> sorting_operations();

}  // namespace quadrille::bench
