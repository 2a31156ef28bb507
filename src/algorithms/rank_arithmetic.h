// SPDX-License-Identifier: BSD-3-Clause
// Ranks on a ring of `ranks`, and the two ways in which algorithms number them: from the root, or
// by blocks.
#pragma once

#include <bit>
#include <cstdint>

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

}  // namespace quadrille
