// SPDX-License-Identifier: BSD-3-Clause
// A rank's own place in a tree: whom it hears from and whom it tells. The whole tree is held
// nowhere; each rank computes the neighbours it has.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace quadrille {

struct PlaceInTree {
  Rank parent = -1;            // the root has none
  std::vector<Rank> children;  // in the order in which they are served
  Rank depth = 0;              // edges between the root and this place
};

struct TreeEdge {
  Rank parent = 0;
  Rank child = 0;
};

// How one group is served by its first member, which has position 0.
enum class GroupPattern : std::uint8_t {
  chain,     // each serves the next one
  binomial,  // each range is halved, far halves are served first
  star,      // the first serves all
};

// REQUIRES: `word` is the name of a pattern.
GroupPattern group_pattern_named(std::string_view word);

// The place, in positions of the group. REQUIRES: 0 <= position < size.
PlaceInTree place_in_group(GroupPattern pattern, Rank position, Rank size);

// All edges of the group, in positions, each behind that above it. REQUIRES: size >= 1.
std::vector<TreeEdge> edges_in_group(GroupPattern pattern, Rank size);

// The place of `rank` in a tree over all `ranks`, which stand in ring order from the root on.
PlaceInTree place_in_ring(GroupPattern pattern, Rank rank, Rank root, Rank ranks);

}  // namespace quadrille
