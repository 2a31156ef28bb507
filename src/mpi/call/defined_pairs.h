// SPDX-License-Identifier: BSD-3-Clause
// Which of MPI's own operations are defined for which predefined types (MPI 4.1, 6.9.2 and 6.9.4).
#pragma once

#include <mpi.h>

namespace quadrille {

// One of MPI's own operations, those for one-sided calls included. Asks nothing of the MPI library.
bool is_operation_of_mpi(MPI_Op op);

// Whether MPI defines `op` for `type`. REQUIRES: is_operation_of_mpi(op), a valid type.
bool is_defined(MPI_Op op, MPI_Datatype type);

}  // namespace quadrille
