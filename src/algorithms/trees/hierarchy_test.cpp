// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/hierarchy.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "algorithms/random_view.h"
#include "algorithms/trees/lanes.h"

namespace quadrille {
namespace {

// By parent, the children in the order of the edges.
std::map<Rank, std::vector<Rank>> children_in(const std::vector<TreeEdge>& edges) {
  std::map<Rank, std::vector<Rank>> children;
  for (const TreeEdge& edge : edges) children[edge.parent].push_back(edge.child);
  return children;
}

void expect_edges_of_all_places(const GeneratorInput& input) {
  const Hierarchy hierarchy(input);
  for (const TreeChoice& tree : trees_from_root(hierarchy, input)) {
    const auto edges = hierarchy.edges(tree);
    ASSERT_EQ(edges.size(), static_cast<std::size_t>(input.shape.ranks - 1));
    auto children = children_in(edges);
    std::vector<bool> reached(static_cast<std::size_t>(input.shape.ranks), false);
    reached[static_cast<std::size_t>(tree.root)] = true;
    for (const TreeEdge& edge : edges) {
      EXPECT_TRUE(reached[static_cast<std::size_t>(edge.parent)]) << "below what comes later";
      reached[static_cast<std::size_t>(edge.child)] = true;
    }
    for (Rank rank = 0; rank < input.shape.ranks; ++rank) {
      const Hierarchy own({input.shape, input.view, input.parameters, rank});
      EXPECT_EQ(own.place(tree).children, children[rank]) << input.parameters.text();
    }
  }
}

TEST(Hierarchy, edges_are_those_of_all_ranks_places_in_their_order) {
  const Parameters parameters = algorithm_named("bcast_hierarchical")->parameters;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Rank ranks = 1 + static_cast<Rank>(seed) % 17;
    const TopologyView view = RandomView(seed).of_ranks(ranks);
    const Shape shape{.collective = Collective::bcast,
                      .ranks = ranks,
                      .root = static_cast<Rank>(seed) % ranks,
                      .count = 100};
    for (const char* text : {"leaders=1", "leaders=0:between=chain:inside=binomial:host=chain",
                             "leaders=0:between=binomial:inside=star:order=1:leader=1",
                             "leaders=0:inside=chain/star/binomial"}) {
      expect_edges_of_all_places({shape, view, parameters.with(text).value(), 0});
    }
  }
}

// Segments are those of the view, by number, whatever order the trees serve them in.
TEST(Hierarchy, has_a_pattern_for_each_segment) {
  const Parameters parameters =
      algorithm_named("bcast_hierarchical")->parameters.with("inside=star/chain").value();
  const TopologyView view{{0, 1, 2, 3, 4, 5}, {0, 0, 0, 1, 1, 1}};
  const Shape shape{.collective = Collective::bcast, .ranks = 6, .count = 10};
  for (const Rank root : {0, 3}) {
    const auto children = [&](Rank rank) {
      return Hierarchy({shape, view, parameters, rank}).place({.root = root}).children.size();
    };
    EXPECT_EQ(children(0), root == 0 ? 3U : 2U);
    EXPECT_EQ(children(1), 0U);
    EXPECT_EQ(children(3), root == 3 ? 2U : 1U);
    EXPECT_EQ(children(4), 1U);
  }
}

// The ranks of host 0 by the library, unless the view forbids group steps or has other islands.
TEST(Hierarchy, takes_the_librarys_collective_only_where_it_may) {
  const Parameters parameters =
      algorithm_named("bcast_hierarchical")->parameters.with("host=library").value();
  TopologyView view{{0, 0, 1, 1}, {0, 0}};
  const Shape shape{.collective = Collective::bcast, .ranks = 4, .count = 10};
  const auto role = [&] { return Hierarchy({shape, view, parameters, 1}).place({.root = 0}).role; };
  EXPECT_EQ(role(), GroupRole::is_served);
  view.is_island = {false, true};
  EXPECT_EQ(role(), GroupRole::none);
  view.is_island = {true, false};
  EXPECT_EQ(role(), GroupRole::is_served);
  view.group_steps = false;
  EXPECT_EQ(role(), GroupRole::none);
}

}  // namespace
}  // namespace quadrille
