// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/place_in_tree.h"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(PlaceInTree, every_child_knows_its_parent_and_lies_one_deeper) {
  for (const auto pattern : {GroupPattern::chain, GroupPattern::binomial, GroupPattern::star}) {
    for (Rank size = 1; size <= 33; ++size) {
      std::vector<int> times_served(static_cast<std::size_t>(size), 0);
      for (Rank position = 0; position < size; ++position) {
        const PlaceInTree place = place_in_group(pattern, position, size);
        for (const Rank child : place.children) {
          ++times_served[static_cast<std::size_t>(child)];
          EXPECT_EQ(place_in_group(pattern, child, size).parent, position);
          EXPECT_EQ(place_in_group(pattern, child, size).depth, place.depth + 1);
        }
      }
      EXPECT_EQ(times_served[0], 0);
      for (Rank position = 1; position < size; ++position) {
        EXPECT_EQ(times_served[static_cast<std::size_t>(position)], 1);
      }
    }
  }
}

TEST(PlaceInTree, on_a_ring_positions_count_from_the_root) {
  EXPECT_EQ(place_in_ring(GroupPattern::chain, 3, 3, 5).children, std::vector<Rank>{4});
  EXPECT_EQ(place_in_ring(GroupPattern::chain, 4, 3, 5).children, std::vector<Rank>{0});
  EXPECT_EQ(place_in_ring(GroupPattern::chain, 2, 3, 5).parent, 1);
  EXPECT_EQ(place_in_ring(GroupPattern::binomial, 1, 1, 5).children, (std::vector<Rank>{0, 3, 2}));
}

}  // namespace
}  // namespace quadrille
