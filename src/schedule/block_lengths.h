// SPDX-License-Identifier: BSD-3-Clause
// All blocks of one vector collective, and each rank's part of that knowledge; for checks and tools
// that have all ranks before them.
#pragma once

#include <functional>

#include "schedule/blocks.h"
#include "schedule/shape.h"

namespace quadrille {

// Elements of the block that goes from one rank to another. A block that goes to all ranks
// (allgatherv), or comes from all (reduce_scatter), is the one a rank has for itself.
using BlockLengths = std::function<std::uint64_t(Rank source, Rank target)>;

// Lengths that differ: from 0 to `longest`, all but evenly. Pure.
std::uint64_t uneven_length(std::uint64_t longest, Rank source, Rank target);

// Whom a rank sends to, or receives from, in neighbourhood collectives of checks: of the graph in
// which a rank has two edges to the next one, one to the last, to the third next and to itself.
// Pure.
std::vector<Rank> checked_targets(Rank ranks, Rank rank);
std::vector<Rank> checked_sources(Rank ranks, Rank rank);

// What `rank` knows; its blocks lie one behind the other, in moving calls `gap` elements apart.
StoredCounts counts_of(const Shape& shape, Rank rank, const BlockLengths& lengths,
                       std::uint64_t gap = 0);

// `shape` with the count that `lengths` give it: of allgatherv and reduce_scatter their sum.
Shape shape_with(Shape shape, const BlockLengths& lengths);

}  // namespace quadrille
