// SPDX-License-Identifier: BSD-3-Clause
// Rows, columns and the diagonal of the table of all lengths.
#include "schedule/block_lengths.h"

#include <array>
#include <utility>

namespace quadrille {

namespace {

template <typename Length>
std::vector<std::uint64_t> of_each_rank(const Shape& shape, const Length& length) {
  std::vector<std::uint64_t> lengths;
  lengths.reserve(static_cast<std::size_t>(shape.ranks));
  for (Rank rank = 0; rank < shape.ranks; ++rank) lengths.push_back(length(rank));
  return lengths;
}

template <typename Length>
std::vector<std::uint64_t> of_each(const std::vector<Rank>& peers, const Length& length) {
  std::vector<std::uint64_t> lengths;
  lengths.reserve(peers.size());
  for (const Rank peer : peers) lengths.push_back(length(peer));
  return lengths;
}

// The graph's edges lead from each rank to those at these distances; the same one twice is two
// edges.
constexpr std::array<Rank, 5> edges{1, -1, 3, 1, 0};

}  // namespace

std::vector<Rank> checked_targets(Rank ranks, Rank rank) {
  std::vector<Rank> targets;
  for (const Rank edge : edges) targets.push_back((rank + edge + ranks) % ranks);
  return targets;
}

std::vector<Rank> checked_sources(Rank ranks, Rank rank) {
  std::vector<Rank> sources;
  for (const Rank edge : edges) sources.push_back((rank - edge + 3 * ranks) % ranks);
  return sources;
}

std::uint64_t uneven_length(std::uint64_t longest, Rank source, Rank target) {
  // Neighbours differ, sources too: 7 and 3 are prime to 5.
  const auto fifth = static_cast<std::uint64_t>(7 * source + 3 * target + 4) % 5;
  return longest / 4 * fifth + longest % 4 * fifth / 4;
}

StoredCounts counts_of(const Shape& shape, Rank rank, const BlockLengths& lengths,
                       std::uint64_t gap) {
  const auto to_rank = [&](Rank source) { return lengths(source, rank); };
  const auto from_rank = [&](Rank target) { return lengths(rank, target); };
  const auto own = [&](Rank one) { return lengths(one, one); };
  const auto all = [&](const auto& length) {
    return StoredBlocks::in_a_row(of_each_rank(shape, length), gap);
  };
  const auto one = [](std::uint64_t length) { return StoredBlocks::in_a_row({length}); };
  const bool is_root = rank == shape.root;
  switch (shape.collective) {
    case Collective::allgatherv:
      return {{}, all(own)};
    case Collective::gatherv:
      return {one(lengths(rank, shape.root)), is_root ? all(to_rank) : StoredBlocks{}};
    case Collective::scatterv:
      return {is_root ? all(from_rank) : StoredBlocks{}, one(lengths(shape.root, rank))};
    case Collective::alltoallv:
      return {all(from_rank), all(to_rank)};
    case Collective::reduce_scatter:
      return {StoredBlocks::in_a_row(of_each_rank(shape, own)), {}};
    case Collective::neighbor_alltoallv: {
      StoredCounts counts;
      counts.targets = checked_targets(shape.ranks, rank);
      counts.sources = checked_sources(shape.ranks, rank);
      counts.send = StoredBlocks::in_a_row(of_each(counts.targets, from_rank), gap);
      counts.receive = StoredBlocks::in_a_row(of_each(counts.sources, to_rank), gap);
      return counts;
    }
    default:
      return {};
  }
}

Shape shape_with(Shape shape, const BlockLengths& lengths) {
  shape.count = 0;
  if (shape.collective == Collective::allgatherv ||
      shape.collective == Collective::reduce_scatter) {
    for (Rank rank = 0; rank < shape.ranks; ++rank) shape.count += lengths(rank, rank);
  }
  return shape;
}

}  // namespace quadrille
