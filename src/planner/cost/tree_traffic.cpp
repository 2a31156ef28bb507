// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/tree_traffic.h"

#include <algorithm>
#include <string_view>

#include "algorithms/trees/hierarchy.h"
#include "algorithms/trees/lanes.h"
#include "algorithms/trees/rank_runs.h"
#include "base/divide_up.h"

namespace quadrille {
namespace {

// Of all trees together: some milliseconds of costing. All trees of an allgather of 180 ranks.
constexpr std::uint64_t kMostEdges = 32'768;

using Trees = std::vector<TreeChoice>;

Trees one_tree(const Hierarchy& hierarchy, const GeneratorInput&) {
  return {{.root = hierarchy.leader(hierarchy.centre(), 0)}};
}

// Of every rank's block.
Trees tree_of_each_rank(const Hierarchy& hierarchy, const GeneratorInput& input) {
  Trees trees;
  for (Rank rank = 0; rank < input.shape.ranks; ++rank) {
    trees.push_back({rank, hierarchy.lane_of(rank), RootRole::leads});
  }
  return trees;
}

struct TreeRow {
  std::string_view algorithm;
  Trees (*trees)(const Hierarchy& hierarchy, const GeneratorInput& input);  // none: that of runs
  bool in_turn;
  bool up;
  bool down;
};

constexpr TreeRow kTreeRows[] = {
    {"barrier_hierarchical", &one_tree, true, true, true},
    {"bcast_hierarchical", &trees_from_root, true, false, true},
    {"reduce_hierarchical", &trees_from_root, true, true, false},
    {"allreduce_hierarchical", &trees_from_centre, true, true, true},
    {"reduce_in_order", nullptr, true, true, false},
    {"allreduce_in_order", nullptr, true, true, true},
    {"allgather_hierarchical", &tree_of_each_rank, false, false, true},
};

const TreeRow* row_of(const Algorithm& algorithm) {
  const auto* const found = std::ranges::find(kTreeRows, algorithm.name, &TreeRow::algorithm);
  return found == std::ranges::end(kTreeRows) ? nullptr : found;
}

}  // namespace

bool has_tree_traffic(const Algorithm& algorithm) { return row_of(algorithm) != nullptr; }

TreePieces tree_pieces(const Algorithm& algorithm, const GeneratorInput& input,
                       const TreeTraffic& traffic) {
  if (algorithm.collective == Collective::barrier) return {};
  const std::uint64_t shares =
      algorithm.collective == Collective::allgather ? 1 : traffic.all_trees;
  const std::uint64_t count = pieces_of_share(input, shares);
  const std::uint64_t elements = divide_up(input.shape.count, shares * count);
  return {elements * input.shape.element_bytes, count};
}

TreeTraffic tree_traffic(const Algorithm& algorithm, const GeneratorInput& input) {
  const TreeRow& row = *row_of(algorithm);
  if (row.trees == nullptr)
    return {.edges = edges_of_runs(input), .in_turn = row.in_turn, .up = row.up, .down = row.down};
  const Hierarchy hierarchy(input);
  const Trees trees = row.trees(hierarchy, input);
  TreeTraffic traffic{.edges = {},
                      .trees = 0,
                      .all_trees = trees.size(),
                      .in_turn = row.in_turn,
                      .up = row.up,
                      .down = row.down};
  const std::uint64_t edges = trees.size() * (input.view.host_of_rank.size() - 1);
  const std::uint64_t step = std::max<std::uint64_t>(1, divide_up(edges, kMostEdges));
  for (std::size_t i = 0; i < trees.size(); i += step, ++traffic.trees) {
    const std::vector<TreeEdge> more = hierarchy.edges(trees[i]);
    traffic.edges.insert(traffic.edges.end(), more.begin(), more.end());
  }
  return traffic;
}

}  // namespace quadrille
