// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/segment_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "algorithms/random_view.h"

namespace quadrille {
namespace {

using Segments = std::vector<std::uint32_t>;

TopologyView segments_of_sizes(const std::vector<std::uint32_t>& sizes) {
  TopologyView view;
  for (std::uint32_t segment = 0; segment < sizes.size(); ++segment) {
    for (std::uint32_t i = 0; i < sizes[segment]; ++i) {
      view.host_of_rank.push_back(view.hosts());
      view.segment_of_host.push_back(segment);
    }
  }
  return view;
}

TEST(SegmentLayout, puts_the_smallest_segment_between_those_it_can_relieve) {
  const SegmentLayout layout = lay_out_segments(segments_of_sizes({3, 3, 2}), 0);
  EXPECT_EQ(layout.segments, (Segments{1, 2, 0}));
  EXPECT_EQ(layout.neighbours[1], (std::vector<Rank>{0, 2}));
}

TEST(SegmentLayout, follows_the_trunks) {
  TopologyView view = segments_of_sizes({1, 4, 2, 3});
  view.trunks = {{2, 0}, {0, 3}, {3, 1}};  // 2 - 0 - 3 - 1
  EXPECT_EQ(lay_out_segments(view, 0).segments, (Segments{1, 3, 0, 2}));
}

TEST(SegmentLayout, sees_no_segments_where_none_of_the_hosts_are) {
  TopologyView view = segments_of_sizes({2, 0, 2});
  view.trunks = {{0, 1}, {1, 2}, {1, 3}};
  const SegmentLayout layout = lay_out_segments(view, 0);
  EXPECT_EQ(layout.segments, (Segments{2, 0}));
  EXPECT_EQ(layout.neighbours[0], std::vector<Rank>{1});
}

TEST(SegmentLayout, permutations_give_every_order_of_unjoined_segments) {
  const TopologyView view = segments_of_sizes({2, 2, 2, 2});
  std::set<Segments> orders;
  for (std::uint64_t k = 0; k < 24; ++k) orders.insert(lay_out_segments(view, k).segments);
  EXPECT_EQ(orders.size(), 24U);
}

TEST(SegmentLayout, is_one_tree_over_all_segments_with_hosts) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const TopologyView view = RandomView(seed).of_ranks(static_cast<Rank>(1 + seed % 33));
    const std::set<std::uint32_t> used(view.segment_of_host.begin(), view.segment_of_host.end());
    const SegmentLayout layout = lay_out_segments(view, seed % 7);
    ASSERT_EQ(std::set<std::uint32_t>(layout.segments.begin(), layout.segments.end()), used);
    ASSERT_EQ(layout.segments.size(), used.size());
    std::size_t ends = 0;
    std::set<Rank> reached{0};
    for (std::size_t at = 0; at < layout.neighbours.size(); ++at) {
      ends += layout.neighbours[at].size();
      ASSERT_TRUE(reached.contains(static_cast<Rank>(at))) << "seed " << seed;
      reached.insert(layout.neighbours[at].begin(), layout.neighbours[at].end());
    }
    ASSERT_EQ(ends, 2 * (used.size() - 1)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace quadrille
