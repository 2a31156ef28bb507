// SPDX-License-Identifier: BSD-3-Clause
// Cells are split until they hold few bodies, or are so small that bodies in them lie on one point.
#include "apps/bench/kernels/barnes_hut.h"

#include <algorithm>
#include <numeric>

namespace quadrille::bench {
namespace {

constexpr std::uint32_t kMostInLeaf = 8;
constexpr std::size_t kDeepest = 40;

int octant_of(const Vector& position, const Vector& centre) {
  return (position.x >= centre.x ? 1 : 0) + (position.y >= centre.y ? 2 : 0) +
         (position.z >= centre.z ? 4 : 0);
}

Vector centre_of_octant(const Vector& centre, double quarter, int octant) {
  return {centre.x + ((octant & 1) != 0 ? quarter : -quarter),
          centre.y + ((octant & 2) != 0 ? quarter : -quarter),
          centre.z + ((octant & 4) != 0 ? quarter : -quarter)};
}

}  // namespace

GravityTree::GravityTree(std::span<const Vector> positions, double mass)
    : positions_(positions), mass_(mass), order_(positions.size()), sorted_(positions.size()) {
  if (positions.empty()) return;
  std::iota(order_.begin(), order_.end(), 0U);
  Vector low = positions[0];
  Vector high = low;
  for (const Vector& one : positions) {
    low = {std::min(low.x, one.x), std::min(low.y, one.y), std::min(low.z, one.z)};
    high = {std::max(high.x, one.x), std::max(high.y, one.y), std::max(high.z, one.z)};
  }
  const Vector extent = high - low;
  const double half = std::max({extent.x, extent.y, extent.z}) / 2;
  Vector centre = low;
  add(centre, 0.5, extent);
  build(0, static_cast<std::uint32_t>(positions.size()), {centre, half, 0});
}

std::uint32_t GravityTree::build(std::uint32_t first, std::uint32_t count, const Cube& cube) {
  const auto index = static_cast<std::uint32_t>(cells_.size());
  cells_.push_back({.centre_of_mass = {},
                    .mass = mass_ * count,
                    .width = 2 * cube.half,
                    .first = first,
                    .count = count,
                    .children = {},
                    .leaf = count <= kMostInLeaf || cube.depth == kDeepest});
  Vector sum;
  for (std::uint32_t place = first; place < first + count; ++place)
    add(sum, 1, positions_[order_[place]]);
  add(cells_[index].centre_of_mass, 1.0 / count, sum);
  if (cells_[index].leaf) return index;
  const auto counts = sort_by_octant(first, count, cube.centre);
  for (int octant = 0; octant < 8; ++octant) {
    const std::uint32_t inside = counts[static_cast<std::size_t>(octant)];
    if (inside == 0) continue;
    const double quarter = cube.half / 2;
    const Cube below{centre_of_octant(cube.centre, quarter, octant), quarter, cube.depth + 1};
    const std::uint32_t child = build(first, inside, below);
    cells_[index].children[static_cast<std::size_t>(octant)] = child;
    first += inside;
  }
  return index;
}

std::array<std::uint32_t, 8> GravityTree::sort_by_octant(std::uint32_t first, std::uint32_t count,
                                                         const Vector& centre) {
  const std::span<std::uint32_t> bodies(order_.data() + first, count);
  std::array<std::uint32_t, 8> counts{};
  const auto octant = [&](std::uint32_t body) {
    return static_cast<std::size_t>(octant_of(positions_[body], centre));
  };
  for (const std::uint32_t body : bodies) ++counts[octant(body)];
  std::array<std::uint32_t, 8> next{};
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), 0U);
  for (const std::uint32_t body : bodies) sorted_[next[octant(body)]++] = body;
  std::copy_n(sorted_.begin(), count, bodies.begin());
  return counts;
}

Vector GravityTree::pull(std::size_t body) const {
  Vector total;
  const Vector here = positions_[body];
  // A path of `kDeepest` cells leaves at most seven siblings of each behind.
  std::array<std::uint32_t, 8 * (kDeepest + 1)> open{};
  std::size_t opened = 1;
  while (opened > 0) {
    const Cell& cell = cells_[open[--opened]];
    const Vector offset = cell.centre_of_mass - here;
    if (cell.leaf) {
      for (std::uint32_t place = cell.first; place < cell.first + cell.count; ++place)
        add_pull(total, mass_, positions_[order_[place]] - here);
    } else if (cell.width * cell.width < kTheta * kTheta * squared(offset)) {
      add_pull(total, cell.mass, offset);
    } else {
      for (const std::uint32_t child : cell.children) {
        if (child != 0) open[opened++] = child;
      }
    }
  }
  return total;
}

}  // namespace quadrille::bench
