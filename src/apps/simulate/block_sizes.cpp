// SPDX-License-Identifier: BSD-3-Clause
#include "apps/simulate/block_sizes.h"

#include <algorithm>
#include <cmath>

#include "base/mixed_bits.h"

namespace quadrille::simulate {
namespace {

constexpr double exponent = 1.5;
constexpr double most_of_mean = 100;
constexpr std::uint64_t sparse_pairs = 16;

std::uint64_t mixed(std::uint64_t seed, Rank from, Rank to) {
  return mixed_bits(seed * 0x9e3779b97f4a7c15ULL + (static_cast<std::uint64_t>(from) << 32U) +
                    static_cast<std::uint64_t>(to) + 0x9e3779b97f4a7c15ULL);
}

}  // namespace

std::optional<BlockSizes> block_sizes_named(std::string_view name) {
  if (name == "equal") return BlockSizes::equal;
  if (name == "power-law") return BlockSizes::power_law;
  if (name == "one-sender") return BlockSizes::one_sender;
  if (name == "sparse") return BlockSizes::sparse;
  return std::nullopt;
}

BlockLengths lengths_of(BlockSizes sizes, std::uint64_t mean, std::uint64_t seed) {
  switch (sizes) {
    case BlockSizes::equal:
      break;
    case BlockSizes::power_law:
      return [mean, seed](Rank from, Rank to) {
        const double even = (static_cast<double>(mixed(seed, from, to) >> 11U) + 1) / 0x1p53;
        const double least = static_cast<double>(mean) * (exponent - 1) / exponent;
        return static_cast<std::uint64_t>(std::min(least * std::pow(even, -1 / exponent),
                                                   most_of_mean * static_cast<double>(mean)));
      };
    case BlockSizes::one_sender:
      return [mean](Rank from, Rank) { return from == 0 ? mean : std::uint64_t{0}; };
    case BlockSizes::sparse:
      return [mean, seed](Rank from, Rank to) {
        return mixed(seed, from, to) % sparse_pairs == 0 ? sparse_pairs * mean : std::uint64_t{0};
      };
  }
  return [mean](Rank, Rank) { return mean; };
}

}  // namespace quadrille::simulate
