// SPDX-License-Identifier: BSD-3-Clause
// Gravity by a tree of cells: what is far is taken for one mass at its centre (J. Barnes, P. Hut, A
// hierarchical O(N log N) force-calculation algorithm, Nature 324 (1986), doi:10.1038/324446a0).
//
// A cell of width w counts as one mass from where its centre of mass is farther than w / theta. The
// tree depends on the positions and their order alone: every rank that builds it gets the same
// bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/bench/kernels/gravity.h"

namespace quadrille::bench {

// Below 1 / sqrt(3), so that no body is ever taken for a part of the mass that pulls it.
inline constexpr double kTheta = 0.5;

class GravityTree {
 public:
  // Keeps `positions`, which have to outlive it. O(n log n).
  GravityTree(std::span<const Vector> positions, double mass);

  // What all others pull `body` with. O(log n).
  Vector pull(std::size_t body) const;

 private:
  struct Cell {
    Vector centre_of_mass;
    double mass = 0;
    double width = 0;
    std::uint32_t first = 0;  // of its bodies in `order_`
    std::uint32_t count = 0;
    std::array<std::uint32_t, 8> children{};  // 0, which is the root and nobody's child: none
    bool leaf = true;
  };

  struct Cube {
    Vector centre;
    double half = 0;
    std::size_t depth = 0;
  };
  std::uint32_t build(std::uint32_t first, std::uint32_t count, const Cube& cube);
  // Puts the bodies of a cell in the order of their octants; returns how many each has.
  std::array<std::uint32_t, 8> sort_by_octant(std::uint32_t first, std::uint32_t count,
                                              const Vector& centre);

  std::span<const Vector> positions_;
  double mass_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> sorted_;  // scratch
};

}  // namespace quadrille::bench
