// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/bcast/circulant_graph.h"

#include <algorithm>
#include <cassert>

namespace quadrille {

CirculantGraph::CirculantGraph(Rank vranks) : skips_{vranks} {
  assert(vranks >= 1);
  while (skips_.back() > 1) skips_.push_back((skips_.back() + 1) / 2);
  std::reverse(skips_.begin(), skips_.end());
}

// The last skip of `vrank` as a sum of skips, largest first; q for the number of vranks itself,
// which is vrank 0 seen from those after it. REQUIRES: 0 < vrank < 2 p.
std::size_t CirculantGraph::base_block(Rank vrank) const {
  std::size_t index = rounds();
  for (Rank rest = vrank; rest != skips_[index]; --index) {
    if (rest > skips_[index]) rest -= skips_[index];
  }
  return index;
}

std::vector<std::int64_t> CirculantGraph::receipts(Rank vrank) const {
  const auto phase = static_cast<std::int64_t>(rounds());
  const std::size_t own = base_block(vrank);
  std::vector<bool> is_taken(rounds() + 1, false);
  is_taken[own] = true;  // vrank 0 stands for it below: its base block is q
  std::vector<std::int64_t> blocks;
  // In each round the base block of the nearest vrank that the sender has it from: at the sender or
  // before it, before the one of the round before, with a block not taken yet that came to it from
  // where it reaches the sender of the next round as well.
  const Rank self = vrank + skips_.back();
  Rank nearest = self;
  for (std::size_t round = 0; round < rounds(); ++round) {
    nearest = std::min(nearest - 1, self - skip(round));
    std::size_t block = base_block(nearest);
    while (is_taken[block] || nearest - skips_[block] > self - skips_[round + 1]) {
      block = base_block(--nearest);
    }
    is_taken[block] = true;
    const bool is_own = block == rounds();
    blocks.push_back(is_own ? static_cast<std::int64_t>(own)
                            : static_cast<std::int64_t>(block) - phase);
  }
  return blocks;
}

}  // namespace quadrille
