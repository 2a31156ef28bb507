// SPDX-License-Identifier: BSD-3-Clause
// A rank's own place in a tree: whom it hears from and whom it tells. The whole tree is held
// nowhere; each rank computes the neighbours it has.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace quadrille {

// In the MPI library's own collectives on the ranks of a host, which take the place of edges there.
enum class GroupRole : std::uint8_t {
  none,
  serves,     // has the parent and the children of all
  is_served,  // hears from nobody else and tells nobody else
};

struct PlaceInTree {
  Rank parent = -1;            // the root has none
  std::vector<Rank> children;  // in the order in which they are served
  Rank depth = 0;              // edges between the root and this place
  GroupRole role = GroupRole::none;
  Rank group_root = -1;              // who serves
  std::span<const Rank> group = {};  // ascending; borrowed from the tree

  bool is_top() const { return parent < 0 && role != GroupRole::is_served; }
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
  library,   // by a collective of the MPI library; its messages are taken to be those of binomial
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
