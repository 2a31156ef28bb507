// SPDX-License-Identifier: BSD-3-Clause
// A vector of one block a rank, equal or not: where each block lies, and runs of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "schedule/schedule.h"

namespace quadrille {

class VectorBlocks {
 public:
  static VectorBlocks equal(Rank ranks, std::uint64_t length) {
    return VectorBlocks(std::vector<std::uint64_t>(static_cast<std::size_t>(ranks), length));
  }
  // `lengths[rank]` elements each, one behind the other.
  explicit VectorBlocks(std::span<const std::uint64_t> lengths) : ends_{0} {
    ends_.reserve(lengths.size() + 1);
    for (const std::uint64_t length : lengths) ends_.push_back(ends_.back() + length);
  }

  Rank ranks() const { return static_cast<Rank>(ends_.size()) - 1; }
  std::uint64_t length() const { return ends_.back(); }
  std::uint64_t offset(Rank rank) const { return ends_[static_cast<std::size_t>(rank)]; }
  std::uint64_t length(Rank rank) const { return offset(rank + 1) - offset(rank); }

  // The blocks of ranks [first, end) in `vector`, and that of one rank.
  Region run(const Region& vector, Rank first, Rank end) const {
    return {vector.buffer, vector.offset + offset(first), offset(end) - offset(first)};
  }
  Region of(const Region& vector, Rank rank) const { return run(vector, rank, rank + 1); }

 private:
  explicit VectorBlocks(const std::vector<std::uint64_t>& lengths)
      : VectorBlocks(std::span<const std::uint64_t>(lengths)) {}

  std::vector<std::uint64_t> ends_;  // [ranks + 1], of the block before each rank's
};

}  // namespace quadrille
