// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/rank_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "algorithms/random_view.h"

namespace quadrille {
namespace {

const Algorithm& in_order() { return *algorithm_named("reduce_in_order"); }

Shape shape_of(Rank ranks) {
  return {.collective = Collective::reduce, .ranks = ranks, .count = 1, .commutative = false};
}

std::vector<PlaceInTree> places_in(const TopologyView& view, const Parameters& parameters) {
  const Shape shape = shape_of(static_cast<Rank>(view.host_of_rank.size()));
  std::vector<PlaceInTree> places;
  for (Rank rank = 0; rank < shape.ranks; ++rank)
    places.push_back(place_in_runs({shape, view, parameters, rank}));
  return places;
}

// The ranks below `rank`, each child's behind the other from the last child on.
void collect(const std::vector<PlaceInTree>& places, Rank rank, std::vector<Rank>& ranks) {
  ranks.push_back(rank);
  const auto& children = places[static_cast<std::size_t>(rank)].children;
  for (std::size_t i = children.size(); i-- > 0;) {
    EXPECT_EQ(places[static_cast<std::size_t>(children[i])].parent, rank);
    collect(places, children[i], ranks);
  }
}

TEST(RankRuns, from_the_last_child_on_all_ranks_stand_in_order) {
  RandomView views(11);
  for (Rank ranks = 1; ranks <= 40; ++ranks) {
    for (const char* patterns :
         {"", "between=chain", "inside=chain:host=chain", "between=chain:inside=chain"}) {
      const TopologyView view = views.of_ranks(ranks);
      const Parameters parameters = in_order().parameters.with(patterns).value();
      std::vector<Rank> found;
      const auto places = places_in(view, parameters);
      collect(places, 0, found);
      std::vector<Rank> all(static_cast<std::size_t>(ranks));
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(found, all) << patterns;
      EXPECT_EQ(places[0].parent, -1);
    }
  }
}

TEST(RankRuns, edges_are_those_of_the_places_each_behind_that_above_it) {
  RandomView views(12);
  for (Rank ranks = 1; ranks <= 40; ++ranks) {
    const TopologyView view = views.of_ranks(ranks);
    const Shape shape = shape_of(ranks);
    std::vector<bool> is_joined(static_cast<std::size_t>(ranks), false);
    is_joined[0] = true;
    const auto edges = edges_of_runs({shape, view, in_order().parameters, 0});
    EXPECT_EQ(edges.size() + 1, static_cast<std::size_t>(ranks));
    const auto places = places_in(view, in_order().parameters);
    for (const TreeEdge& edge : edges) {
      EXPECT_TRUE(is_joined[static_cast<std::size_t>(edge.parent)]);
      is_joined[static_cast<std::size_t>(edge.child)] = true;
      EXPECT_EQ(places[static_cast<std::size_t>(edge.child)].parent, edge.parent);
    }
  }
}

// As in the picture.
TEST(RankRuns, neighbours_of_a_host_and_of_a_segment_join_first) {
  TopologyView view;
  view.host_of_rank = {0, 0, 0, 1, 1, 2, 2, 3, 3};
  view.segment_of_host = {0, 0, 1, 1};
  const auto places = places_in(view, in_order().parameters);
  EXPECT_EQ(places[0].children, (std::vector<Rank>{5, 3, 2, 1}));
  EXPECT_EQ(places[3].children, std::vector<Rank>{4});
  EXPECT_EQ(places[5].children, (std::vector<Rank>{7, 6}));
  EXPECT_EQ(places[7].children, std::vector<Rank>{8});
}

}  // namespace
}  // namespace quadrille
