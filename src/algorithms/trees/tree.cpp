// SPDX-License-Identifier: BSD-3-Clause
// Every kind of tree is a list of edges without direction, in the order in which either end serves
// them; rooting it gives the edges their direction.
#include "algorithms/trees/tree.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "algorithms/rank_arithmetic.h"
#include "algorithms/segments.h"

namespace quadrille {

namespace {

using Edges = std::vector<TreeEdge>;
using Members = std::vector<Rank>;

TreeKind kind_named(std::string_view word) {
  if (word == "heap") return TreeKind::heap;
  if (word == "mst") return TreeKind::mst;
  if (word == "eco") return TreeKind::eco;
  assert(word == "knomial");
  return TreeKind::knomial;
}

// Appends the heap whose nodes are `members` in order.
void append_heap(const Members& members, std::int64_t k, Edges& edges) {
  // More children than there are members mean the same as exactly so many, and cannot overflow.
  const auto degree = static_cast<std::size_t>(std::min<std::int64_t>(
      k, std::max<std::int64_t>(1, static_cast<std::int64_t>(members.size()))));
  for (std::size_t node = 1; node < members.size(); ++node) {
    edges.push_back({members[(node - 1) / degree], members[node]});
  }
}

// Appends the k-nomial tree whose nodes are `members` in order, edges of large subtrees first.
void append_knomial(const Members& members, std::int64_t k, Edges& edges) {
  const std::size_t nodes = members.size();
  const auto base = static_cast<std::size_t>(
      std::clamp<std::int64_t>(k, 2, std::max<std::int64_t>(2, static_cast<std::int64_t>(nodes))));
  std::size_t stride = 1;
  while (stride * base < nodes) stride *= base;
  for (; stride > 0; stride /= base) {
    for (std::size_t node = stride; node < nodes; node += stride) {
      const std::size_t digit = node / stride % base;
      if (digit > 0) edges.push_back({members[node - digit * stride], members[node]});
    }
  }
}

// Appends an edge from the first of `members` to each of the others.
void append_star(const Members& members, Edges& edges) {
  for (std::size_t node = 1; node < members.size(); ++node) {
    edges.push_back({members.front(), members[node]});
  }
}

// Cuts `members` into groups of equal `place_of`, in the order in which their first members come.
template <typename PlaceOf>
std::vector<Members> grouped(const Members& members, const PlaceOf& place_of) {
  std::vector<Members> groups;
  std::map<std::uint32_t, std::size_t> group_of_place;
  for (const Rank rank : members) {
    const auto [entry, is_new] = group_of_place.try_emplace(place_of(rank), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(rank);
  }
  return groups;
}

Members first_of_each(const std::vector<Members>& groups) {
  Members first;
  for (const Members& group : groups) first.push_back(group.front());
  return first;
}

// Joins the first ranks of the segments, the first ranks of each segment's hosts, and the ranks of
// each host, each by `join`; wider levels come first.
template <typename Join>
Edges joined_by_levels(const Members& ranks, const TopologyView& view, const Join& join) {
  const auto host_of = [&](Rank rank) { return view.host_of_rank[static_cast<std::size_t>(rank)]; };
  const auto segment_of = [&](Rank rank) { return view.segment_of_host[host_of(rank)]; };
  Edges edges;
  const std::vector<Members> segments = grouped(ranks, segment_of);
  join(first_of_each(segments), edges);
  for (const Members& segment : segments) join(first_of_each(grouped(segment, host_of)), edges);
  for (const Members& host : grouped(ranks, host_of)) join(host, edges);
  return edges;
}

Members ranks_from(Rank first, Rank ranks) {
  Members result;
  for (Rank distance = 0; distance < ranks; ++distance) {
    result.push_back(ring_rank(first, distance, ranks));
  }
  return result;
}

}  // namespace

Tree::Tree(const TreePattern& pattern, const TopologyView& view, Rank root) {
  assert(pattern.k >= 1);
  const auto ranks = static_cast<Rank>(view.host_of_rank.size());
  const auto heap = [&](const Members& members, Edges& edges) {
    append_heap(members, pattern.k, edges);
  };
  Edges edges;
  switch (pattern.kind) {
    case TreeKind::heap:
      heap(ranks_from(root, ranks), edges);
      break;
    case TreeKind::mst:
      // Where all edges of a level cost the same, Prim's algorithm with ties to the lowest ranks
      // joins every rank to the first of its host, its segment or all.
      edges = joined_by_levels(ranks_from(0, ranks), view, append_star);
      break;
    case TreeKind::eco:
      edges = joined_by_levels(ranks_from(root, ranks), view, heap);
      break;
    case TreeKind::knomial:
      append_knomial(ranks_from(root, ranks), pattern.k, edges);
      break;
  }
  root_at(root, edges);
}

Tree::Tree(const std::vector<TreeEdge>& edges, Rank root) { root_at(root, edges); }

void Tree::root_at(Rank root, const Edges& edges) {
  parent_.assign(edges.size() + 1, -1);
  // Neighbours of every rank, in the order of the edges.
  std::vector<std::size_t> first(parent_.size() + 1, 0);
  const auto index = [](Rank rank) { return static_cast<std::size_t>(rank); };
  for (const auto& [one, other] : edges) {
    ++first[index(one) + 1];
    ++first[index(other) + 1];
  }
  for (std::size_t rank = 0; rank < parent_.size(); ++rank) first[rank + 1] += first[rank];
  Members neighbours(2 * edges.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const auto& [one, other] : edges) {
    neighbours[next[index(one)]++] = other;
    neighbours[next[index(other)]++] = one;
  }
  Members reached{root};
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const Rank rank = reached[at];
    for (std::size_t i = first[index(rank)]; i < first[index(rank) + 1]; ++i) {
      if (neighbours[i] == parent(rank)) continue;
      parent_[index(neighbours[i])] = rank;
      reached.push_back(neighbours[i]);
    }
  }
  first_child_.assign(1, 0);
  for (Rank rank = 0; rank < ranks(); ++rank) {
    for (std::size_t i = first[index(rank)]; i < first[index(rank) + 1]; ++i) {
      if (neighbours[i] != parent(rank)) children_.push_back(neighbours[i]);
    }
    first_child_.push_back(children_.size());
  }
}

std::span<const Rank> Tree::children(Rank rank) const {
  const auto at = static_cast<std::size_t>(rank);
  return {children_.data() + first_child_[at], first_child_[at + 1] - first_child_[at]};
}

PlaceInTree Tree::place(Rank rank) const {
  const auto below = children(rank);
  PlaceInTree place{.parent = parent(rank), .children = {below.begin(), below.end()}, .depth = 0};
  for (Rank above = place.parent; above >= 0; above = parent(above)) ++place.depth;
  return place;
}

std::vector<Rank> Tree::subtree(Rank rank) const {
  Members result;
  Members waiting{rank};
  while (!waiting.empty()) {
    const Rank next = waiting.back();
    waiting.pop_back();
    result.push_back(next);
    const auto below = children(next);
    waiting.insert(waiting.end(), below.rbegin(), below.rend());
  }
  return result;
}

Tree tree_of(const GeneratorInput& input, Rank root) {
  const TreePattern pattern{.kind = kind_named(input.parameters.word("kind")),
                            .k = std::max<std::int64_t>(1, input.parameters["k"])};
  return {pattern, input.view, root};
}

std::uint64_t piece_count(const GeneratorInput& input, std::uint64_t elements) {
  const std::int64_t segment = input.parameters["segment"];
  return segment == 0 ? 1 : segment_count(elements, input.shape.element_bytes, segment);
}

}  // namespace quadrille
