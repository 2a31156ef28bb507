// SPDX-License-Identifier: BSD-3-Clause
// How hierarchical algorithms cut a vector: into a share for each lane, and each share into pieces
// that follow one another through the lane's tree.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/trees/hierarchy.h"
#include "schedule/schedule.h"

namespace quadrille {

// The trees of all lanes.
std::vector<TreeChoice> trees_from_root(const Hierarchy& hierarchy, const GeneratorInput& input);
std::vector<TreeChoice> trees_from_centre(const Hierarchy& hierarchy, const GeneratorInput& input);

// Into how many pieces the parameter `segment` cuts each of `shares` of the vector.
std::uint64_t pieces_of_share(const GeneratorInput& input, std::uint64_t shares);

struct Lanes {
  std::vector<PlaceInTree> places;  // this rank's in each lane's tree
  std::uint64_t pieces = 1;         // of each share

  std::uint64_t size() const { return places.size(); }
  Region share(const Region& whole, std::uint64_t lane) const {
    return whole.part(lane, places.size());
  }
};

// By the parameters `leaders` (hosts that share in leading a segment, 0: as many as there can be)
// and `segment` (bytes of a piece, 0: a whole share).
//
// For rooted operations: one leader is the root itself, several are other hosts of its segment.
Lanes lanes_from_root(const Hierarchy& hierarchy, const GeneratorInput& input);
// Without a root: each lane's tree has its root in the centre, where its leader is.
Lanes lanes_from_centre(const Hierarchy& hierarchy, const GeneratorInput& input);

}  // namespace quadrille
