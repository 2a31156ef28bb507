// SPDX-License-Identifier: BSD-3-Clause
// Steps of an integration of bodies that attract each other, as timed operations.
#pragma once

#include "apps/bench/mpi/operations.h"

namespace quadrille::bench {

std::vector<Operation> nbody_operations();

}  // namespace quadrille::bench
