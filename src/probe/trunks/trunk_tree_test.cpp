// SPDX-License-Identifier: BSD-3-Clause
#include "probe/trunks/trunk_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace quadrille::probe {
namespace {

SplitRates rates(double bit_s, bool full = true) {
  SplitRates made;
  made.full = full;
  made.out.bit_s = Measured{bit_s, bit_s, bit_s};
  made.in.bit_s = Measured{bit_s / 2, bit_s / 2, bit_s / 2};
  return made;
}

std::size_t node_of(const std::vector<TreeNode>& nodes, std::size_t segment) {
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (nodes[at].segment == segment) return at;
  }
  return nodes.size();
}

std::size_t junctions(const std::vector<TreeNode>& nodes) {
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [](const TreeNode& node) { return !node.segment; }));
}

TEST(TrunkTree, one_segment_has_no_trunk) {
  const auto nodes = arrange_trunks({rates(0, false)}, {});
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].segment, 0U);
}

TEST(TrunkTree, two_segments_are_joined_by_one_trunk) {
  const auto nodes = arrange_trunks({rates(50), rates(50)}, {});
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1].parent, 0U);
  EXPECT_EQ(junctions(nodes), 0U);
}

TEST(TrunkTree, full_segments_meet_at_a_junction) {
  const auto nodes = arrange_trunks({rates(10), rates(10), rates(10)}, {});
  EXPECT_EQ(nodes.size(), 4U);
  EXPECT_EQ(junctions(nodes), 1U);
}

TEST(TrunkTree, a_segment_that_fills_nothing_is_the_middle) {
  const auto nodes = arrange_trunks({rates(10), rates(100, false), rates(10)}, {});
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].segment, 1U);
}

TEST(TrunkTree, a_joint_split_is_a_level_of_its_own_whichever_side_names_it) {
  for (const std::vector<std::size_t>& side :
       {std::vector<std::size_t>{0, 1}, std::vector<std::size_t>{2, 3}}) {
    const auto nodes =
        arrange_trunks({rates(50), rates(50), rates(50), rates(50)}, {{side, rates(60)}});
    EXPECT_EQ(junctions(nodes), 2U);
    EXPECT_EQ(nodes[node_of(nodes, 0)].parent, nodes[node_of(nodes, 1)].parent);
    EXPECT_EQ(nodes[node_of(nodes, 2)].parent, nodes[node_of(nodes, 3)].parent);
    EXPECT_NE(nodes[node_of(nodes, 0)].parent, nodes[node_of(nodes, 2)].parent);
    for (const auto& node : nodes) {
      if (node.segment || !node.parent) continue;
      // The root is segment 0, so the split is turned to the side of 2 and 3: its rates with it.
      EXPECT_EQ(node.to_parent.out.bit_s->value, side.front() == 2 ? 60 : 30);
    }
  }
}

TEST(TrunkTree, an_incompatible_split_is_left_out) {
  const auto nodes = arrange_trunks({rates(50), rates(50), rates(50), rates(50)},
                                    {{{0, 1}, rates(60)}, {{1, 2}, rates(60)}});
  EXPECT_EQ(junctions(nodes), 2U);
  EXPECT_EQ(nodes[node_of(nodes, 0)].parent, nodes[node_of(nodes, 1)].parent);
}

}  // namespace
}  // namespace quadrille::probe
