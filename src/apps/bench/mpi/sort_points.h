// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the parallel sorts that are measured, whether they fit, and what memory they took.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "apps/bench/kernels/sort_size.h"
#include "apps/bench/memory.h"
#include "apps/bench/mpi/operations.h"
#include "apps/bench/mpi/world.h"
#include "apps/bench/options.h"
#include "base/error.h"

namespace quadrille::bench {

// The sort on the first `ranks` ranks; with constant local memory vectors grow with their hosts.
Result<SortSize> sort_size_on(const Options& options, const World& world, int ranks);

// Bytes of both arrays of a rank.
std::uint64_t arrays_bytes(const Operation& operation, const SortSize& size);

// Why the first `ranks` ranks cannot have their arrays, with the figures; nothing where they can.
// Collective over the world, every rank returns the same.
std::optional<std::string> arrays_do_not_fit(const Operation& operation, const SortSize& size,
                                             const World& world);

// What memory the ranks of `communicator` took since `before`: the largest of each figure, on rank
// 0. Collective.
MemoryUse largest_growth(const MemoryUse& before, MPI_Comm communicator);

}  // namespace quadrille::bench
