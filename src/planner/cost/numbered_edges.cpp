// SPDX-License-Identifier: BSD-3-Clause
// A table with open addressing, at most half full (Knuth, The Art of Computer Programming 3, 6.4):
// one allocation whatever the number of pairs, which a search of plans counts hundreds of times.
#include "planner/cost/numbered_edges.h"

#include <bit>

namespace quadrille {

NumberedEdges::NumberedEdges(std::span<const TreeEdge> edges, std::uint64_t trees)
    : edges_(edges), pairs_(edges.size()) {
  if (trees < 2) return;
  slots_.resize(std::bit_ceil(2 * edges.size() + 2), none);
  pairs_ = 0;
  pair_of_.reserve(edges.size());
  for (std::uint32_t edge = 0; edge < edges.size(); ++edge) {
    std::uint32_t& first = slots_[place_of(edges[edge])];
    if (first == none) first = edge;
    pair_of_.push_back(first == edge ? static_cast<std::uint32_t>(pairs_++) : pair_of_[first]);
  }
}

std::size_t NumberedEdges::place_of(const TreeEdge& pair) const {
  const std::uint64_t both = std::uint64_t{static_cast<std::uint32_t>(pair.parent)} << 32U |
                             static_cast<std::uint32_t>(pair.child);
  // The golden ratio's fraction, as in the Fibonacci hashing of the same section.
  std::size_t at = (both * 0x9e3779b97f4a7c15ULL) >> (64 - std::countr_zero(slots_.size()));
  const auto is_other = [&](std::uint32_t first) {
    return first != none &&
           (edges_[first].parent != pair.parent || edges_[first].child != pair.child);
  };
  while (is_other(slots_[at])) at = (at + 1) & (slots_.size() - 1);
  return at;
}

bool NumberedEdges::has(Rank parent, Rank child) const {
  return !slots_.empty() && slots_[place_of({parent, child})] != none;
}

}  // namespace quadrille
