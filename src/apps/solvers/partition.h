// SPDX-License-Identifier: BSD-3-Clause
// How lengths are divided among ranks, and numbers that look random and are the same everywhere.
#pragma once

#include <cstdint>

namespace quadrille::solvers {

struct Extent {
  int first = 0;
  int size = 0;
};

// Part `which` of `parts` of 0 to length - 1; sizes differ by one at most, the larger come first.
constexpr Extent part_of(int length, int parts, int which) {
  const int least = length / parts;
  const int larger = length % parts;
  return {.first = least * which + (which < larger ? which : larger),
          .size = least + (which < larger ? 1 : 0)};
}

// In [-1, 1): SplitMix64 (G. Steele, D. Lea, C. Flood, doi:10.1145/2714064.2660195).
constexpr double noise(std::uint64_t of) {
  std::uint64_t z = (of + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  z ^= z >> 31U;
  return static_cast<double>(z >> 11U) / static_cast<double>(1ULL << 52U) - 1.0;
}

}  // namespace quadrille::solvers
