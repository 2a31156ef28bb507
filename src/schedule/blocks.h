// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a call whose blocks differ in length (the vector collectives), as one rank knows
// them:
//
//   allgatherv       `receive`: one block a rank; their lengths are equal on all ranks
//   gatherv          `send`: one block, the own; at the root `receive`: one block a rank
//   scatterv         `receive`: one block, the own; at the root `send`: one block a rank
//   alltoallv        `send` and `receive`: one block a rank; only the two of a pair know its length
//   reduce_scatter   `send`: one block a rank, without gaps; their lengths are equal on all ranks
//   neighbor_alltoallv   `send`: one block for each of `targets`; `receive`: one from each of
//                    `sources`. A rank may be there several times, and be its own neighbour: the
//                    n-th block for a rank is the n-th that it has from this one
//
// `told` is what ranks of the same host have said of their blocks where an algorithm needs it
// (algorithms/count_exchange.h): by their places there, nothing at the own.
//
// Offsets are each rank's own affair. No decision that all ranks have to share may depend on
// anything else here than lengths that all of them know.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedule/schedule.h"

namespace quadrille {

// `lengths[i]` elements each from element `offsets[i]` of the buffer on; i is a rank, or one of the
// neighbours. Blocks to receive do not overlap.
struct Blocks {
  std::span<const std::uint64_t> lengths;
  std::span<const std::uint64_t> offsets;

  Region of(Buffer buffer, Rank index) const {
    return {buffer, offsets[static_cast<std::size_t>(index)],
            lengths[static_cast<std::size_t>(index)]};
  }
  // Where the last of them ends.
  std::uint64_t end() const {
    std::uint64_t latest = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] > 0) latest = std::max(latest, offsets[i] + lengths[i]);
    }
    return latest;
  }
};

// Borrows what it refers to.
struct LocalCounts {
  Blocks send;
  Blocks receive;
  std::span<const std::vector<std::uint64_t>> told = {};
  std::span<const Rank> targets = {};  // of neighbours' blocks
  std::span<const Rank> sources = {};
};

// Owns what a LocalCounts refers to.
struct StoredBlocks {
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> offsets;

  // One block behind the other, `gap` elements between them.
  static StoredBlocks in_a_row(std::vector<std::uint64_t> lengths, std::uint64_t gap = 0) {
    StoredBlocks blocks{std::move(lengths), {}};
    std::uint64_t end = 0;
    for (const std::uint64_t length : blocks.lengths) {
      blocks.offsets.push_back(end);
      end += length + gap;
    }
    return blocks;
  }
  Blocks view() const { return {lengths, offsets}; }
  bool operator==(const StoredBlocks&) const = default;
};
struct StoredCounts {
  StoredBlocks send;
  StoredBlocks receive;
  std::vector<std::vector<std::uint64_t>> told = {};
  std::vector<Rank> targets = {};
  std::vector<Rank> sources = {};
  LocalCounts view() const { return {send.view(), receive.view(), told, targets, sources}; }
  bool operator==(const StoredCounts&) const = default;
};

}  // namespace quadrille
