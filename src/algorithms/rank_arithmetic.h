// SPDX-License-Identifier: BSD-3-Clause
// Ranks on a ring of `ranks`, the two ways in which algorithms number them - from the root, or by
// blocks - and where blocks of one length lie.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "schedule/schedule.h"
#include "schedule/shape.h"

namespace quadrille {

// The rank `distance` places after `rank` on the ring. REQUIRES: -ranks <= distance <= ranks.
inline Rank ring_rank(Rank rank, Rank distance, Rank ranks) {
  const Rank sum = rank + distance;
  return sum < 0 ? sum + ranks : sum >= ranks ? sum - ranks : sum;
}

// Position relative to the root, which has vrank 0, and back.
inline Rank vrank_of(Rank rank, const Shape& shape) {
  return ring_rank(rank, -shape.root, shape.ranks);
}
inline Rank rank_of(Rank vrank, const Shape& shape) {
  return ring_rank(vrank, shape.root, shape.ranks);
}

// The largest power of two that is at most `ranks`. REQUIRES: ranks >= 1.
inline Rank power_of_two_within(Rank ranks) {
  return static_cast<Rank>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
}

// How many vranks, `vrank` among them, lie below `vrank` in the binomial tree over [0, ranks):
// those from it up to the next multiple of its lowest set bit.
inline Rank binomial_subtree(Rank vrank, Rank ranks) {
  if (vrank == 0) return ranks;
  const Rank lowest_bit = vrank & -vrank;
  return vrank + lowest_bit <= ranks ? lowest_bit : ranks - vrank;
}

// The block of one rank in a buffer of one block of `count` elements a rank.
inline Region block_of(Buffer buffer, Rank rank, std::uint64_t count) {
  return {buffer, static_cast<std::uint64_t>(rank) * count, count};
}

// Elements of `number` blocks.
inline std::uint64_t blocks_length(Rank number, const Shape& shape) {
  return static_cast<std::uint64_t>(number) * shape.count;
}

// Blocks [first, first + number) of those that lie one behind the other in `whole`.
inline Region blocks_in(const Region& whole, Rank first, Rank number, const Shape& shape) {
  return {whole.buffer, whole.offset + blocks_length(first, shape), blocks_length(number, shape)};
}

// Where the blocks of the `number` ranks from `first` on around the ring lie in a buffer of one
// block a rank: one run, or two where they go past the last rank to rank 0.
// REQUIRES: 1 <= number <= shape.ranks.
inline std::vector<Region> ring_runs(Buffer buffer, Rank first, Rank number, const Shape& shape) {
  const Region whole{buffer, 0, blocks_length(shape.ranks, shape)};
  const Rank before_end = std::min(number, shape.ranks - first);
  std::vector<Region> runs{blocks_in(whole, first, before_end, shape)};
  if (number > before_end) runs.push_back(blocks_in(whole, 0, number - before_end, shape));
  return runs;
}

}  // namespace quadrille
