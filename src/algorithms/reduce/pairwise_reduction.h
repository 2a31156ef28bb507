// SPDX-License-Identifier: BSD-3-Clause
// What reduce_scatter_block_pairwise and reduce_scatter_pairwise share: a rank meets every other
// once.
#pragma once

#include "algorithms/algorithm.h"
#include "algorithms/vector_blocks.h"

namespace quadrille {

// REQUIRES: the operation commutes; `blocks` is equal on all ranks and has as many elements as the
// contribution.
Schedule reduce_pairwise(const GeneratorInput& input, const VectorBlocks& blocks);

}  // namespace quadrille
