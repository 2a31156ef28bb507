// SPDX-License-Identifier: BSD-3-Clause
// Rows of the operations that move data without combining it.
#pragma once

#include <vector>

#include "apps/bench/mpi/operations.h"

namespace quadrille::bench {

std::vector<Operation> moving_operations();

}  // namespace quadrille::bench
