// SPDX-License-Identifier: BSD-3-Clause
// How data of any type are copied, or become bytes: by a message of this process to itself.
//
// Thread rule: any thread.
#pragma once

#include <mpi.h>

namespace quadrille {

// Both sides have as many data. Returns an MPI error code.
int message_to_self(const void* from, int count, MPI_Datatype type, void* into, int into_count,
                    MPI_Datatype into_type);

}  // namespace quadrille
