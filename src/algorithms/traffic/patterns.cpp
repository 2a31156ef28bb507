// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/traffic/patterns.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/rank_arithmetic.h"
#include "algorithms/trees/hierarchy.h"

namespace quadrille {

Phase ring_shift(Rank ranks, Rank distance, std::uint64_t bytes) {
  Phase phase;
  phase.transfers.reserve(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank)
    phase.transfers.push_back({rank, ring_rank(rank, distance, ranks), bytes});
  return phase;
}

Phase binomial_down(const Shape& shape, const std::function<std::uint64_t(Rank)>& bytes) {
  Phase phase{.order = PhaseOrder::down};
  for (Rank parent = 0; parent < shape.ranks; ++parent) {
    const Rank subtree = binomial_subtree(parent, shape.ranks);
    Rank distance = subtree > 1 ? power_of_two_within(subtree - 1) : 0;
    for (; distance > 0; distance /= 2) {
      const Rank child = parent + distance;
      phase.transfers.push_back({rank_of(parent, shape), rank_of(child, shape), bytes(child)});
    }
  }
  return phase;
}

Phase binomial_up(const Shape& shape, const std::function<std::uint64_t(Rank)>& bytes) {
  Phase phase{.order = PhaseOrder::up};
  // Subtrees of near children are complete first.
  for (Rank distance = 1; distance < shape.ranks; distance *= 2) {
    for (Rank child = distance; child < shape.ranks; child += 2 * distance) {
      phase.transfers.push_back(
          {rank_of(child, shape), rank_of(child - distance, shape), bytes(child)});
    }
  }
  return phase;
}

Phase chain_from_root(const Shape& shape, std::uint64_t piece_bytes, std::uint64_t pieces) {
  Phase phase{.order = PhaseOrder::chain, .times = pieces};
  for (Rank vrank = 0; vrank + 1 < shape.ranks; ++vrank)
    phase.transfers.push_back({rank_of(vrank, shape), rank_of(vrank + 1, shape), piece_bytes});
  return phase;
}

Phase chain_to_root(const Shape& shape, std::uint64_t piece_bytes, std::uint64_t pieces) {
  Phase phase = chain_from_root(shape, piece_bytes, pieces);
  std::reverse(phase.transfers.begin(), phase.transfers.end());
  for (Transfer& transfer : phase.transfers) std::swap(transfer.from, transfer.to);
  return phase;
}

Phase hierarchy_down(const TrafficInput& input,
                     const std::function<std::uint64_t(std::uint64_t)>& bytes) {
  const Hierarchy hierarchy(GeneratorInput{input.shape, input.view, input.parameters});
  std::vector<TreeEdge> edges = hierarchy.edges({.root = input.shape.root});
  // Every edge stands behind that above it.
  std::vector<std::uint64_t> ranks_below(static_cast<std::size_t>(input.shape.ranks), 1);
  std::vector<std::size_t> place(ranks_below.size(), 0);
  for (std::size_t i = edges.size(); i-- > 0;) {
    const auto child = static_cast<std::size_t>(edges[i].child);
    ranks_below[static_cast<std::size_t>(edges[i].parent)] += ranks_below[child];
    place[child] = i + 1;
  }
  std::ranges::stable_sort(edges, {}, [&](const TreeEdge& edge) {
    return place[static_cast<std::size_t>(edge.parent)];
  });
  Phase phase{.order = PhaseOrder::down};
  for (const TreeEdge& edge : edges) {
    phase.transfers.push_back(
        {edge.parent, edge.child, bytes(ranks_below[static_cast<std::size_t>(edge.child)])});
  }
  return phase;
}

Phase hierarchy_up(const TrafficInput& input,
                   const std::function<std::uint64_t(std::uint64_t)>& bytes) {
  Phase phase = hierarchy_down(input, bytes);
  phase.order = PhaseOrder::up;
  std::ranges::reverse(phase.transfers);
  for (Transfer& transfer : phase.transfers) std::swap(transfer.from, transfer.to);
  return phase;
}

}  // namespace quadrille
