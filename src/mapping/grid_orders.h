// SPDX-License-Identifier: BSD-3-Clause
// Orders of a grid's cells in which neighbours stay together: cut into runs, they are blocks.
#pragma once

#include <cstddef>
#include <vector>

#include "mapping/communication_graph.h"

namespace quadrille {

// Orders of all cells, to and fro like a plough, so that each cell follows a neighbour or, between
// blocks, a cell not far: along each sequence of the dimensions; and in blocks of every shape
// that has as many cells as one of `segment_sizes`, these in blocks of as many as one of
// `host_sizes`. At most `most` orders.
std::vector<std::vector<Rank>> grid_orders(const Grid& grid, const std::vector<Rank>& segment_sizes,
                                           const std::vector<Rank>& host_sizes, std::size_t most);

}  // namespace quadrille
