// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/communication_graph.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace quadrille {
namespace {

std::vector<std::pair<Rank, std::uint64_t>> neighbours(const CommunicationGraph& graph, Rank rank) {
  std::vector<std::pair<Rank, std::uint64_t>> found;
  for (const auto& neighbour : graph.neighbours(rank))
    found.emplace_back(neighbour.rank, neighbour.weight);
  return found;
}

using Found = std::vector<std::pair<Rank, std::uint64_t>>;

TEST(CommunicationGraph, adds_up_both_directions_and_drops_what_goes_nowhere) {
  const CommunicationGraph graph(4, {{2, 0, 5}, {0, 2, 7}, {1, 1, 9}, {0, 1, 0}, {0, 3, 1}});
  EXPECT_EQ(neighbours(graph, 0), (Found{{2, 12}, {3, 1}}));
  EXPECT_EQ(neighbours(graph, 1), Found{});
  EXPECT_EQ(neighbours(graph, 2), (Found{{0, 12}}));
  EXPECT_EQ(graph.edges(), 2U);
}

TEST(CommunicationGraph, neighbours_come_in_the_order_of_their_ranks) {
  const CommunicationGraph graph(5, {{4, 2, 1}, {2, 0, 1}, {3, 2, 1}, {1, 2, 1}});
  EXPECT_EQ(neighbours(graph, 2), (Found{{0, 1}, {1, 1}, {3, 1}, {4, 1}}));
}

TEST(CommunicationGraph, enormous_weights_are_scaled_together_and_none_vanishes) {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  std::vector<Exchange> exchanges{{0, 1, 1}};
  for (Rank rank = 1; rank < 100; ++rank) exchanges.push_back({rank, rank + 1, most});
  const CommunicationGraph graph(101, exchanges);
  std::uint64_t sum = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank)
    for (const auto& neighbour : graph.neighbours(rank)) sum += neighbour.weight;
  EXPECT_LE(sum / 2, (std::uint64_t{1} << 40U) + 100);
  EXPECT_EQ(neighbours(graph, 0), (Found{{1, 1}}));
  EXPECT_EQ(neighbours(graph, 5)[0].second, neighbours(graph, 50)[1].second);
}

TEST(CommunicationGraph, a_grid_has_its_neighbours_and_a_periodic_one_those_over_the_border) {
  const CommunicationGraph graph = graph_of({{3, 4}, {false, true}}, 13);
  EXPECT_EQ(neighbours(graph, 0), (Found{{1, 1}, {3, 1}, {4, 1}}));
  EXPECT_EQ(neighbours(graph, 5), (Found{{1, 1}, {4, 1}, {6, 1}, {9, 1}}));
  EXPECT_EQ(neighbours(graph, 11), (Found{{7, 1}, {8, 1}, {10, 1}}));
  EXPECT_EQ(neighbours(graph, 12), Found{});
}

TEST(CommunicationGraph,
     a_periodic_dimension_of_two_meets_over_both_borders_and_one_of_one_nowhere) {
  EXPECT_EQ(neighbours(graph_of({{2}, {true}}, 2), 0), (Found{{1, 2}}));
  EXPECT_EQ(neighbours(graph_of({{1, 2}, {true, false}}, 2), 0), (Found{{1, 1}}));
}

TEST(CommunicationGraph, a_grid_of_no_dimension_is_one_cell) {
  EXPECT_EQ(graph_of({{}, {}}, 3).edges(), 0U);
}

}  // namespace
}  // namespace quadrille
