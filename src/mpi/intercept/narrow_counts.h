// SPDX-License-Identifier: BSD-3-Clause
// Calls with counts of MPI 4 (MPI_Bcast_c) by their older forms, where the MPI library has no
// others. Programs that ask the process which calls there are, such as mpi4py, find the shim's.
#pragma once

#include <string_view>

namespace quadrille {

// The definition of `symbol` by its older form; null where it has none.
void* narrow_count_symbol(std::string_view symbol);

}  // namespace quadrille
