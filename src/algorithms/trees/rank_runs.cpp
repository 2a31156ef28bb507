// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/rank_runs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

namespace quadrille {
namespace {

constexpr std::size_t kLevels = 3;
constexpr std::array<std::string_view, kLevels> kPatternOfLevel = {"host", "inside", "between"};

// Which ranks a level joins: of one host, of one segment, all.
std::uint32_t place_on_level(const TopologyView& view, std::size_t level, Rank rank) {
  const std::uint32_t host = view.host_of_rank[static_cast<std::size_t>(rank)];
  if (level == 0) return host;
  return level == 1 ? view.segment_of_host[host] : 0;
}

// Calls visit(level, pattern, run) for each run of each level, inner levels first.
template <typename Visit>
void for_each_run(const GeneratorInput& input, const Visit& visit) {
  std::vector<Rank> heads(static_cast<std::size_t>(input.shape.ranks));
  std::iota(heads.begin(), heads.end(), 0);
  for (std::size_t level = 0; level < kLevels; ++level) {
    const GroupPattern pattern = group_pattern_named(input.parameters.word(kPatternOfLevel[level]));
    std::vector<Rank> joined;
    for (std::size_t first = 0; first < heads.size();) {
      const std::uint32_t place = place_on_level(input.view, level, heads[first]);
      std::size_t end = first + 1;
      while (end < heads.size() && place_on_level(input.view, level, heads[end]) == place) ++end;
      visit(level, pattern, std::span<const Rank>(heads).subspan(first, end - first));
      joined.push_back(heads[first]);
      first = end;
    }
    heads = std::move(joined);
  }
}

Rank at(std::span<const Rank> run, Rank position) {
  return run[static_cast<std::size_t>(position)];
}

}  // namespace

PlaceInTree place_in_runs(const GeneratorInput& input) {
  PlaceInTree place;
  for_each_run(input, [&](std::size_t, GroupPattern pattern, std::span<const Rank> run) {
    const auto found = std::ranges::lower_bound(run, input.rank);
    if (found == run.end() || *found != input.rank) return;
    const PlaceInTree in_run = place_in_group(pattern, static_cast<Rank>(found - run.begin()),
                                              static_cast<Rank>(run.size()));
    if (in_run.parent >= 0) place.parent = at(run, in_run.parent);
    // What an outer level adds stands behind all that the inner ones have.
    std::vector<Rank> children;
    for (const Rank child : in_run.children) children.push_back(at(run, child));
    place.children.insert(place.children.begin(), children.begin(), children.end());
  });
  return place;
}

std::vector<TreeEdge> edges_of_runs(const GeneratorInput& input) {
  std::array<std::vector<TreeEdge>, kLevels> of_level;
  for_each_run(input, [&](std::size_t level, GroupPattern pattern, std::span<const Rank> run) {
    for (const TreeEdge& edge : edges_in_group(pattern, static_cast<Rank>(run.size())))
      of_level[level].push_back({at(run, edge.parent), at(run, edge.child)});
  });
  std::vector<TreeEdge> edges;
  for (std::size_t level = kLevels; level-- > 0;)
    edges.insert(edges.end(), of_level[level].begin(), of_level[level].end());
  return edges;
}

}  // namespace quadrille
