// SPDX-License-Identifier: BSD-3-Clause
// Rows of the operations that combine contributions.
#pragma once

#include <vector>

#include "apps/bench/mpi/operations.h"

namespace quadrille::bench {

std::vector<Operation> reducing_operations();

}  // namespace quadrille::bench
