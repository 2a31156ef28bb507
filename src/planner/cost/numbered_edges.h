// SPDX-License-Identifier: BSD-3-Clause
// Which edges of several trees join the same parent and child: pairs of ranks are numbered in the
// order in which edges name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/trees/place_in_tree.h"

namespace quadrille {

class NumberedEdges {
 public:
  // Edges of one tree all join different ranks. Borrows `edges`.
  NumberedEdges(std::span<const TreeEdge> edges, std::uint64_t trees);

  std::size_t pairs() const { return pairs_; }
  std::size_t pair_of(std::size_t edge) const { return pair_of_.empty() ? edge : pair_of_[edge]; }
  // Whether one of several trees has such an edge.
  bool has(Rank parent, Rank child) const;

 private:
  static constexpr std::uint32_t none = 0xffffffffU;

  // The pair's slot, or the empty one where it belongs.
  std::size_t place_of(const TreeEdge& pair) const;

  std::span<const TreeEdge> edges_;
  std::size_t pairs_;
  std::vector<std::uint32_t> slots_;    // the first edge of a pair
  std::vector<std::uint32_t> pair_of_;  // [edges], empty where each has its own
};

}  // namespace quadrille
