// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/lanes.h"

#include <algorithm>

#include "algorithms/segments.h"
#include "base/divide_up.h"

namespace quadrille {
namespace {

std::uint64_t lane_count(const GeneratorInput& input, std::uint64_t most) {
  const auto asked = static_cast<std::uint64_t>(input.parameters["leaders"]);
  return asked == 0 ? most : std::min(asked, most);
}

Lanes lanes_of(const Hierarchy& hierarchy, const GeneratorInput& input,
               const std::vector<TreeChoice>& trees) {
  Lanes lanes;
  for (const TreeChoice& tree : trees) lanes.places.push_back(hierarchy.place(tree));
  lanes.pieces = pieces_of_share(input, trees.size());
  return lanes;
}

}  // namespace

std::vector<TreeChoice> trees_from_root(const Hierarchy& hierarchy, const GeneratorInput& input) {
  const Rank root = input.shape.root;
  const std::uint64_t others = hierarchy.hosts_in(hierarchy.segment_of(root)) - 1;
  const std::uint64_t count = lane_count(input, std::max<std::uint64_t>(1, others));
  const RootRole role = count == 1 ? RootRole::leads : RootRole::hands_over;
  std::vector<TreeChoice> trees;
  for (std::uint64_t lane = 0; lane < count; ++lane) trees.push_back({root, lane, role});
  return trees;
}

std::vector<TreeChoice> trees_from_centre(const Hierarchy& hierarchy, const GeneratorInput& input) {
  const Rank centre = hierarchy.centre();
  const std::uint64_t count = lane_count(input, hierarchy.hosts_in(centre));
  std::vector<TreeChoice> trees;
  for (std::uint64_t lane = 0; lane < count; ++lane) {
    trees.push_back({hierarchy.leader(centre, lane), lane, RootRole::leads});
  }
  return trees;
}

std::uint64_t pieces_of_share(const GeneratorInput& input, std::uint64_t shares) {
  const std::int64_t segment_bytes = input.parameters["segment"];
  if (segment_bytes == 0) return 1;
  const std::uint64_t share = divide_up(input.shape.count, shares);
  return segment_count(share, input.shape.element_bytes, segment_bytes);
}

Lanes lanes_from_root(const Hierarchy& hierarchy, const GeneratorInput& input) {
  return lanes_of(hierarchy, input, trees_from_root(hierarchy, input));
}

Lanes lanes_from_centre(const Hierarchy& hierarchy, const GeneratorInput& input) {
  return lanes_of(hierarchy, input, trees_from_centre(hierarchy, input));
}

}  // namespace quadrille
