// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/place_in_tree.h"

#include <bit>
#include <cassert>

#include "algorithms/rank_arithmetic.h"

namespace quadrille {
namespace {

template <typename Visit>
void for_each_binomial_child(Rank position, Rank size, const Visit& visit) {
  const Rank subtree = binomial_subtree(position, size);
  for (Rank distance = subtree > 1 ? power_of_two_within(subtree - 1) : 0; distance > 0;
       distance /= 2) {
    visit(position + distance);
  }
}

PlaceInTree place_in_binomial(Rank position, Rank size) {
  PlaceInTree place{.parent = position == 0 ? -1 : position & (position - 1),
                    .children = {},
                    .depth = std::popcount(static_cast<std::uint32_t>(position))};
  for_each_binomial_child(position, size, [&](Rank child) { place.children.push_back(child); });
  return place;
}

}  // namespace

GroupPattern group_pattern_named(std::string_view word) {
  if (word == "chain") return GroupPattern::chain;
  if (word == "binomial") return GroupPattern::binomial;
  if (word == "library") return GroupPattern::library;
  assert(word == "star");
  return GroupPattern::star;
}

PlaceInTree place_in_group(GroupPattern pattern, Rank position, Rank size) {
  if (pattern == GroupPattern::binomial || pattern == GroupPattern::library)
    return place_in_binomial(position, size);
  PlaceInTree place;
  if (pattern == GroupPattern::chain) {
    place.parent = position - 1;
    place.depth = position;
    if (position + 1 < size) place.children.push_back(position + 1);
    return place;
  }
  if (position > 0) return {.parent = 0, .children = {}, .depth = 1};
  for (Rank child = 1; child < size; ++child) place.children.push_back(child);
  return place;
}

std::vector<TreeEdge> edges_in_group(GroupPattern pattern, Rank size) {
  std::vector<TreeEdge> edges;
  edges.reserve(static_cast<std::size_t>(size - 1));
  for (Rank position = 0; position + 1 < size; ++position) {
    if (pattern == GroupPattern::chain) edges.push_back({position, position + 1});
    if (pattern == GroupPattern::star) edges.push_back({0, position + 1});
    if (pattern != GroupPattern::binomial && pattern != GroupPattern::library) continue;
    for_each_binomial_child(position, size, [&](Rank child) {
      edges.push_back({position, child});
    });
  }
  return edges;
}

PlaceInTree place_in_ring(GroupPattern pattern, Rank rank, Rank root, Rank ranks) {
  PlaceInTree place = place_in_group(pattern, ring_rank(rank, -root, ranks), ranks);
  if (place.parent >= 0) place.parent = ring_rank(place.parent, root, ranks);
  for (Rank& child : place.children) child = ring_rank(child, root, ranks);
  return place;
}

}  // namespace quadrille
