// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that need a power of two of ranks take any number by folding: of the first 2 e ranks,
// e being the excess over the next lower power of two q, each even one hands its contribution to
// the odd one after it and waits for the result. The q that go on are numbered in rank order, each
// standing for one or two consecutive ranks, so that the order of a reduction is kept.
#pragma once

#include "algorithms/rank_arithmetic.h"
#include "base/units.h"

namespace quadrille {

class FoldedRanks {
 public:
  // REQUIRES: ranks >= 1
  explicit FoldedRanks(Rank ranks)
      : participants_(power_of_two_within(ranks)), excess_(ranks - participants_) {}

  Rank participants() const { return participants_; }
  bool is_paired(Rank rank) const { return rank < 2 * excess_; }
  // Whether the rank only hands over its contribution, to rank + 1.
  bool is_folded_away(Rank rank) const { return is_paired(rank) && rank % 2 == 0; }
  // REQUIRES: !is_folded_away(rank)
  Rank participant_of(Rank rank) const { return is_paired(rank) ? rank / 2 : rank - excess_; }
  Rank rank_of_participant(Rank participant) const {
    return participant < excess_ ? 2 * participant + 1 : participant + excess_;
  }

 private:
  Rank participants_;
  Rank excess_;
};

}  // namespace quadrille
