// SPDX-License-Identifier: BSD-3-Clause
// What reduce_scatter_block_recursive_halving and reduce_scatter_recursive_halving share: partners
// split what they share of the vector until each rank has its own block, summed over all.
#pragma once

#include "algorithms/algorithm.h"
#include "algorithms/vector_blocks.h"

namespace quadrille {

// REQUIRES: `blocks` is equal on all ranks and has as many elements as the contribution.
Schedule reduce_by_halving(const GeneratorInput& input, const VectorBlocks& blocks);

}  // namespace quadrille
