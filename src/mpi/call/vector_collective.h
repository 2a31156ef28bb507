// SPDX-License-Identifier: BSD-3-Clause
// Executes vector collectives: from the user's counts and displacements to blocks of bytes. Where
// all data of a side are contiguous they are sent from and received into the user's own buffer;
// else each block is packed.
#pragma once

#include <memory>

#include "mpi/call/call_arguments.h"
#include "mpi/call/call_buffers.h"
#include "mpi/call/call_memory.h"
#include "mpi/communicator/communicator.h"
#include "planner/planner.h"
#include "schedule/blocks.h"
#include "schedule/shape.h"

namespace quadrille {

// REQUIRES: shape_of() gave `shape`, candidate.algorithm.
Outcome run_vector_collective(Communicator& communicator, const Candidate& candidate,
                              const Shape& shape, const CallArguments& call);

// The blocks of a reduce_scatter, in elements.
StoredCounts combined_blocks(const CallArguments& call, Rank ranks);

// Of calls with counts in which data only move, as equal_blocks().
std::unique_ptr<CallData> vector_blocks(const CallArguments& call, const Shape& shape, Rank rank,
                                        CallBuffers& buffers);

}  // namespace quadrille
