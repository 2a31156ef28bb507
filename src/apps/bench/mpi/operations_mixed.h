// SPDX-License-Identifier: BSD-3-Clause
// Rows of several calls in a row that are timed as one: what a step of a program does.
#pragma once

#include <vector>

#include "apps/bench/mpi/operations.h"

namespace quadrille::bench {

std::vector<Operation> mixed_operations();

}  // namespace quadrille::bench
