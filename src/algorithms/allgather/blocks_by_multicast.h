// SPDX-License-Identifier: BSD-3-Clause
// What allgathers by multicast share, of equal blocks or not.
#pragma once

#include <functional>

#include "algorithms/algorithm.h"
#include "schedule/schedule.h"

namespace quadrille {

// Where a rank's block lies in the result; where `neighbours_join`, those of ranks that follow one
// another lie one behind the other on all ranks.
struct BlockPlaces {
  std::function<Region(Rank)> of;
  bool neighbours_join = false;
};

// This rank's steps that bring every rank's block to all: collected on each host, sent once by it,
// passed on inside. Time O(p).
Schedule blocks_by_multicast(const GeneratorInput& input, const BlockPlaces& places);

}  // namespace quadrille
