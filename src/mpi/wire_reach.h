// SPDX-License-Identifier: BSD-3-Clause
// Whether a job's datagrams get through, found out by a few messages while it starts. All functions
// are collective over `ranks`.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "wire/port.h"

namespace quadrille {

// A packet of `payload` bytes to each of `partners` and one from each. Each rank answers for
// itself.
bool reaches_all_hosts(MPI_Comm ranks, wire::Port& port, std::span<const wire::EndpointId> partners,
                       std::size_t payload);

// What the first rank of each host sends to those of all others at once. `first_ranks` are the same
// everywhere; the answer is too.
bool reaches_all_at_once(MPI_Comm ranks, wire::Port& port,
                         std::span<const wire::EndpointId> first_ranks, wire::EndpointId self);

}  // namespace quadrille
