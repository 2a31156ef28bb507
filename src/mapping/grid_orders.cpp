// SPDX-License-Identifier: BSD-3-Clause
// Three levels of boxes: the grid in blocks, blocks in smaller blocks, these in cells. Each level
// is walked by the reflected mixed-radix Gray code (D. Knuth, TAOCP 4A, 7.2.1.1), whose next
// element is always a neighbour.
#include "mapping/grid_orders.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace quadrille {
namespace {

using Box = std::vector<Rank>;

Rank cells_of(const Box& box) {
  return std::accumulate(box.begin(), box.end(), Rank{1}, std::multiplies<>());
}

// Element `number` of the walk through `box`, the first of `dimensions` being the slowest.
Box gray_code(const Box& box, const std::vector<std::size_t>& dimensions, Rank number) {
  Box coordinates(box.size());
  Rank below = cells_of(box);
  Rank slower = 0;  // the number that the slower dimensions make
  for (const std::size_t dimension : dimensions) {
    below /= box[dimension];
    const Rank whole = number / below;
    const Rank digit = whole % box[dimension];
    coordinates[dimension] = slower % 2 == 0 ? digit : box[dimension] - 1 - digit;
    slower = whole;
  }
  return coordinates;
}

struct Levels {
  Box block;
  Box small_block;
};

Box quotient(const Box& whole, const Box& part) {
  Box result(whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) result[i] = whole[i] / part[i];
  return result;
}

std::vector<Rank> walk(const Grid& grid, const Levels& levels,
                       const std::vector<std::size_t>& dimensions) {
  const Box blocks = quotient(grid.sizes, levels.block);
  const Box small_blocks = quotient(levels.block, levels.small_block);
  const Rank in_block = cells_of(levels.block);
  const Rank in_small = cells_of(levels.small_block);
  std::vector<Rank> order(static_cast<std::size_t>(grid.cells()));
  for (Rank at = 0; at < static_cast<Rank>(order.size()); ++at) {
    const Box block = gray_code(blocks, dimensions, at / in_block);
    const Box small = gray_code(small_blocks, dimensions, at % in_block / in_small);
    const Box cell = gray_code(levels.small_block, dimensions, at % in_small);
    Rank number = 0;
    for (std::size_t i = 0; i < cell.size(); ++i) {
      number = number * grid.sizes[i] + block[i] * levels.block[i] +
               small[i] * levels.small_block[i] + cell[i];
    }
    order[static_cast<std::size_t>(at)] = number;
  }
  return order;
}

// Adds to `shapes` every box of `cells` cells that divides `whole`.
void add_shapes(const Box& whole, Rank cells, Box& begun, std::vector<Box>& shapes) {
  if (begun.size() == whole.size()) {
    if (cells == 1) shapes.push_back(begun);
    return;
  }
  const Rank size = whole[begun.size()];
  for (Rank extent = 1; extent <= std::min(size, cells); ++extent) {
    if (size % extent != 0 || cells % extent != 0) continue;
    begun.push_back(extent);
    add_shapes(whole, cells / extent, begun, shapes);
    begun.pop_back();
  }
}

std::vector<Box> shapes_of(const Box& whole, const std::vector<Rank>& sizes) {
  std::vector<Box> shapes;
  Box begun;
  for (const Rank cells : sizes) add_shapes(whole, cells, begun, shapes);
  return shapes;
}

}  // namespace

std::vector<std::vector<Rank>> grid_orders(const Grid& grid, const std::vector<Rank>& segment_sizes,
                                           const std::vector<Rank>& host_sizes, std::size_t most) {
  std::vector<std::vector<Rank>> orders;
  const Box one_cell(grid.sizes.size(), 1);
  std::vector<std::size_t> dimensions(grid.sizes.size());
  std::iota(dimensions.begin(), dimensions.end(), 0U);
  const std::vector<std::size_t> natural = dimensions;
  do {
    if (orders.size() == most) return orders;
    orders.push_back(walk(grid, {grid.sizes, one_cell}, dimensions));
  } while (std::ranges::next_permutation(dimensions).found);
  std::vector<Box> blocks = shapes_of(grid.sizes, segment_sizes);
  blocks.push_back(grid.sizes);
  for (const Box& block : blocks) {
    std::vector<Box> small_blocks = shapes_of(block, host_sizes);
    small_blocks.push_back(one_cell);
    for (const Box& small : small_blocks) {
      if (orders.size() == most) return orders;
      orders.push_back(walk(grid, {block, small}, natural));
    }
  }
  return orders;
}

}  // namespace quadrille
