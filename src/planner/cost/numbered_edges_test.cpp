// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/numbered_edges.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace quadrille {
namespace {

// A chain from each of `ranks`, around the ring in one direction or the other.
std::vector<TreeEdge> chains(Rank ranks) {
  std::vector<TreeEdge> edges;
  for (Rank root = 0; root < ranks; ++root) {
    const Rank step = root % 3 == 0 ? ranks - 1 : 1;
    for (Rank hop = 0; hop + 1 < ranks; ++hop) {
      const Rank parent = (root + hop * step) % ranks;
      edges.push_back({parent, (parent + step) % ranks});
    }
  }
  return edges;
}

TEST(NumberedEdges, of_the_same_ranks_have_the_same_number_and_all_others_another) {
  for (const Rank ranks : {2, 3, 17, 64}) {
    const std::vector<TreeEdge> edges = chains(ranks);
    const NumberedEdges numbered(edges, static_cast<std::uint64_t>(ranks));
    std::map<std::pair<Rank, Rank>, std::size_t> numbers;
    std::map<std::size_t, std::pair<Rank, Rank>> pairs;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const std::pair pair(edges[i].parent, edges[i].child);
      EXPECT_EQ(numbers.emplace(pair, numbered.pair_of(i)).first->second, numbered.pair_of(i));
      EXPECT_EQ(pairs.emplace(numbered.pair_of(i), pair).first->second, pair);
      EXPECT_TRUE(numbered.has(edges[i].parent, edges[i].child));
    }
    EXPECT_EQ(numbered.pairs(), numbers.size());
    EXPECT_EQ(numbered.has(0, 0), false);
  }
}

TEST(NumberedEdges, of_one_tree_all_differ) {
  const std::vector<TreeEdge> edges{{0, 1}, {0, 2}, {2, 3}};
  const NumberedEdges numbered(edges, 1);
  EXPECT_EQ(numbered.pairs(), 3U);
  EXPECT_EQ(numbered.pair_of(2), 2U);
  EXPECT_FALSE(numbered.has(1, 0));
}

}  // namespace
}  // namespace quadrille
