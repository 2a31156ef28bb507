// SPDX-License-Identifier: BSD-3-Clause
// Whether a job's datagrams get through, found out by a few messages while it starts. All functions
// are collective over `ranks`.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "wire/port.h"

namespace quadrille {

// A packet of `payload` bytes to each of `partners` and one from each, whether all of them came on
// all ranks. Ranks that are stopped, or get no processor, are waited for, for some rounds.
bool reaches_all_hosts(MPI_Comm ranks, wire::Port& port, std::span<const wire::EndpointId> partners,
                       std::size_t payload);

// Of groups that have no rank in common, whether what any of one sends to its others at once
// reaches them all: [groups]. They are tried at the same time, and are the same everywhere, as the
// answers are. REQUIRES: `channel` is one of the start's and was not tried on before.
std::vector<bool> reach_at_once(MPI_Comm ranks, wire::Port& port,
                                std::span<const std::vector<wire::EndpointId>> groups,
                                wire::EndpointId self, wire::Channel channel);

}  // namespace quadrille
