// SPDX-License-Identifier: BSD-3-Clause
// How long the blocks of a simulated alltoallv are: pure functions of a seed and the pair.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schedule/block_lengths.h"

namespace quadrille::simulate {

enum class BlockSizes : std::uint8_t {
  equal,
  // Pareto's with exponent 1.5, whose mean is the length asked for; a hundred times that at most.
  power_law,
  one_sender,  // rank 0 sends all
  sparse,      // one pair of sixteen has a block, sixteen times as long
};

inline constexpr std::string_view block_sizes_words = "equal, power-law, one-sender, sparse";
std::optional<BlockSizes> block_sizes_named(std::string_view name);

// In bytes, `mean` on average of those that are sent.
BlockLengths lengths_of(BlockSizes sizes, std::uint64_t mean, std::uint64_t seed);

}  // namespace quadrille::simulate
