// SPDX-License-Identifier: BSD-3-Clause
// The reference trees by their definitions, and every algorithm over them on clusters of several
// segments with uneven hosts, which the tests of all algorithms leave flat.
#include "algorithms/trees/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "algorithms/checked_case.h"

namespace quadrille {
namespace {

using testing::ElementsAre;

constexpr TreeKind all_kinds[] = {TreeKind::heap, TreeKind::mst, TreeKind::eco, TreeKind::knomial};

// Hosts 0 3 6 / 1 4 7 / 2 5 on three segments, one rank each.
TopologyView three_segments() {
  TopologyView view = TopologyView::flat(8);
  view.segment_of_host = {0, 1, 2, 0, 1, 2, 0, 1};
  return view;
}

// Ranks on hosts and hosts in segments at random, hosts numbered by their lowest rank.
TopologyView random_view(Rank ranks, std::uint32_t seed) {
  std::mt19937 chance(seed);
  const auto below = [&](std::uint32_t end) { return chance() % end; };
  TopologyView view;
  std::vector<std::uint32_t> number_of(static_cast<std::size_t>(ranks), 0xffffffffU);
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::uint32_t& number = number_of[below(static_cast<std::uint32_t>(ranks))];
    if (number == 0xffffffffU) {
      number = view.hosts();
      view.segment_of_host.push_back(below(6));
    }
    view.host_of_rank.push_back(number);
  }
  return view;
}

std::uint32_t segment_of(const TopologyView& view, Rank rank) {
  return view.segment_of_host[view.host_of_rank[static_cast<std::size_t>(rank)]];
}

// How many edges join ranks of different places.
template <typename PlaceOf>
int crossings(const Tree& tree, const PlaceOf& place_of) {
  int count = 0;
  for (Rank rank = 0; rank < tree.ranks(); ++rank) {
    for (const Rank child : tree.children(rank)) count += place_of(rank) != place_of(child) ? 1 : 0;
  }
  return count;
}

std::vector<Rank> children(const Tree& tree, Rank rank) {
  const auto found = tree.children(rank);
  return {found.begin(), found.end()};
}

TEST(Tree, heap_numbers_children_from_the_root_on) {
  const Tree tree({TreeKind::heap, 2}, TopologyView::flat(6), 3);
  EXPECT_THAT(children(tree, 3), ElementsAre(4, 5));
  EXPECT_THAT(children(tree, 4), ElementsAre(0, 1));
  EXPECT_THAT(children(tree, 5), ElementsAre(2));
  EXPECT_EQ(tree.parent(3), -1);
  EXPECT_EQ(tree.parent(2), 5);
}

TEST(Tree, heap_is_a_chain_for_one_child_and_a_star_for_many) {
  const Tree chain({TreeKind::heap, 1}, TopologyView::flat(4), 2);
  EXPECT_THAT(chain.subtree(2), ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(children(chain, 3), ElementsAre(0));
  const Tree star({TreeKind::heap, std::int64_t{1} << 62}, TopologyView::flat(4), 2);
  EXPECT_THAT(children(star, 2), ElementsAre(3, 0, 1));
}

TEST(Tree, knomial_of_base_two_is_the_binomial_tree) {
  for (Rank ranks = 1; ranks <= 33; ++ranks) {
    for (Rank root = 0; root < ranks; ++root) {
      const Tree tree({TreeKind::knomial, 2}, TopologyView::flat(ranks), root);
      for (Rank rank = 0; rank < ranks; ++rank) {
        const PlaceInTree binomial = place_in_ring(GroupPattern::binomial, rank, root, ranks);
        ASSERT_EQ(tree.parent(rank), binomial.parent);
        ASSERT_EQ(children(tree, rank), binomial.children);
      }
    }
  }
}

TEST(Tree, knomial_serves_large_subtrees_first_and_is_as_deep_as_the_base_has_digits) {
  const Tree tree({TreeKind::knomial, 3}, TopologyView::flat(14), 1);
  EXPECT_THAT(children(tree, 1), ElementsAre(10, 4, 7, 2, 3));
  EXPECT_THAT(children(tree, 10), ElementsAre(13, 11, 12));
  EXPECT_THAT(children(tree, 13), ElementsAre(0));
  EXPECT_EQ(tree.place(0).depth, 3);
  const Tree star({TreeKind::knomial, std::int64_t{1} << 62}, TopologyView::flat(4), 2);
  EXPECT_THAT(children(star, 2), ElementsAre(3, 0, 1));
}

TEST(Tree, of_ecos_eight_hosts_are_those_of_the_header) {
  const TopologyView view = three_segments();
  for (const TreeKind kind : {TreeKind::mst, TreeKind::eco}) {
    const Tree tree({kind, 2}, view, 0);
    EXPECT_THAT(children(tree, 0), ElementsAre(1, 2, 3, 6));
    EXPECT_THAT(children(tree, 1), ElementsAre(4, 7));
    EXPECT_THAT(children(tree, 2), ElementsAre(5));
  }
  const Tree heap({TreeKind::heap, 2}, view, 0);
  EXPECT_EQ(crossings(heap, [&](Rank rank) { return segment_of(view, rank); }), 5);
  const Tree knomial({TreeKind::knomial, 2}, view, 0);
  EXPECT_THAT(children(knomial, 0), ElementsAre(4, 2, 1));
  EXPECT_THAT(children(knomial, 4), ElementsAre(6, 5));
  EXPECT_EQ(crossings(knomial, [&](Rank rank) { return segment_of(view, rank); }), 7);
}

TEST(Tree, eco_makes_the_root_the_coordinator_of_its_segment) {
  const Tree tree({TreeKind::eco, 2}, three_segments(), 4);
  EXPECT_THAT(children(tree, 4), ElementsAre(5, 6, 7, 1));
  EXPECT_THAT(children(tree, 5), ElementsAre(2));
  EXPECT_THAT(children(tree, 6), ElementsAre(0, 3));
}

TEST(Tree, minimum_spanning_tree_has_the_same_edges_for_every_root) {
  const TopologyView view = random_view(17, 1);
  const auto edges = [&](Rank root) {
    const Tree tree({TreeKind::mst, 1}, view, root);
    std::vector<std::pair<Rank, Rank>> result;
    for (Rank rank = 0; rank < tree.ranks(); ++rank) {
      const Rank parent = tree.parent(rank);
      if (parent >= 0) result.emplace_back(std::min(rank, parent), std::max(rank, parent));
    }
    std::sort(result.begin(), result.end());
    return result;
  };
  for (Rank root = 1; root < 17; ++root) EXPECT_EQ(edges(root), edges(0)) << root;
}

TEST(Tree, subtrees_hold_every_rank_once_in_runs_of_the_children) {
  for (const TreeKind kind : all_kinds) {
    for (Rank ranks = 1; ranks <= 33; ++ranks) {
      const TopologyView view = random_view(ranks, static_cast<std::uint32_t>(ranks));
      for (Rank root = 0; root < ranks; ++root) {
        const Tree tree({kind, 3}, view, root);
        std::vector<Rank> all = tree.subtree(root);
        std::vector<Rank> joined{root};
        for (const Rank child : tree.children(root)) {
          EXPECT_EQ(tree.parent(child), root);
          const std::vector<Rank> below = tree.subtree(child);
          joined.insert(joined.end(), below.begin(), below.end());
        }
        EXPECT_EQ(all, joined);
        std::sort(all.begin(), all.end());
        std::vector<Rank> every(static_cast<std::size_t>(ranks));
        std::iota(every.begin(), every.end(), 0);
        ASSERT_EQ(all, every);
      }
    }
  }
}

// The point of both: every segment but one, and every host but one of a segment, is entered once.
TEST(Tree, spanning_tree_and_eco_cross_between_segments_and_hosts_as_seldom_as_possible) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const TopologyView view = random_view(1 + static_cast<Rank>(seed % 33), seed);
    std::vector<std::uint32_t> used = view.segment_of_host;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    const auto host_of = [&](Rank rank) {
      return view.host_of_rank[static_cast<std::size_t>(rank)];
    };
    for (const TreeKind kind : {TreeKind::mst, TreeKind::eco}) {
      const auto ranks = static_cast<Rank>(view.host_of_rank.size());
      for (Rank root = 0; root < ranks; ++root) {
        const Tree tree({kind, 2}, view, root);
        const auto in_segment = [&](Rank rank) { return segment_of(view, rank); };
        EXPECT_EQ(crossings(tree, in_segment), static_cast<int>(used.size()) - 1);
        EXPECT_EQ(crossings(tree, host_of), static_cast<int>(view.hosts()) - 1);
      }
    }
  }
}

TEST(BcastTree, in_turn_sends_to_a_child_when_the_one_before_has_the_piece) {
  const Algorithm& algorithm = *algorithm_named("bcast_tree");
  const Shape shape{.collective = Collective::bcast, .ranks = 5, .count = 26, .element_bytes = 1};
  const TopologyView view = TopologyView::flat(5);
  const Parameters parameters =
      algorithm.parameters.with("kind=heap:k=99:segment=13:in_turn=1").value();
  const Schedule root = algorithm.generate({shape, view, parameters, 0});
  ASSERT_EQ(root.steps.size(), 16U);  // four children, two pieces, each of them acknowledged
  for (std::size_t i = 0; i < root.steps.size(); i += 2) {
    EXPECT_EQ(root.steps[i].kind, StepKind::send);
    EXPECT_EQ(root.steps[i].from.length, 13U);
    EXPECT_EQ(root.steps[i].peer, static_cast<Rank>(1 + i / 2 % 4));
    EXPECT_EQ(root.steps[i + 1].kind, StepKind::receive);
    EXPECT_EQ(root.steps[i + 1].peer, root.steps[i].peer);
    if (i == 0) continue;
    EXPECT_THAT(root.dependencies_of(root.steps[i]), ElementsAre(i - 1));
  }
}

class TreeAlgorithms : public testing::TestWithParam<const char*> {};

TEST_P(TreeAlgorithms, are_correct_over_every_tree_on_random_clusters) {
  const Algorithm& algorithm = *algorithm_named(GetParam());
  for (Rank ranks = 1; ranks <= 33; ++ranks) {
    const TopologyView view = random_view(ranks, 100U + static_cast<std::uint32_t>(ranks));
    for (const Shape& shape : supported_shapes(algorithm, ranks, 13)) {
      for (const char* text :
           {"kind=heap:k=1", "kind=heap:k=3:segment=12", "kind=heap:k=99", "kind=mst",
            "kind=mst:segment=8", "kind=eco:k=1", "kind=eco:k=2", "kind=eco:k=4:segment=20",
            "kind=knomial", "kind=knomial:k=3:segment=12", "kind=knomial:k=4",
            "kind=knomial:k=8"}) {
        const Parameters parameters = algorithm.parameters.with(text).value();
        std::vector<Schedule> schedules;
        for (Rank rank = 0; rank < ranks; ++rank) {
          schedules.push_back(algorithm.generate({shape, view, parameters, rank}));
        }
        const Findings findings = check(shape, schedules);
        ASSERT_TRUE(findings.empty())
            << text << " ranks=" << ranks << " root=" << shape.root << '\n'
            << text_of(findings.front());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, TreeAlgorithms,
                         testing::Values("bcast_tree", "reduce_tree", "allreduce_tree",
                                         "allgather_tree"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace quadrille
