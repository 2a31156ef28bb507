// SPDX-License-Identifier: BSD-3-Clause
// What rehearsals of all ranks of a job have found: whether small reductions that round are faster
// by us. Communicators of fewer ranks go by it, as what is rehearsed takes longer than the few
// calls that many of them ever make.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "schedule/collective.h"

namespace quadrille {

// A bit for each collective and eightfold range of sizes: what wins at one of them wins at the
// others.
struct KnownReductions {
  std::uint64_t rehearsed = 0;
  std::uint64_t won = 0;  // of these, by us

  // Nothing where it was not rehearsed.
  std::optional<bool> is_won(Collective collective, Bytes size) const {
    const std::uint64_t bit = bit_of(collective, size);
    if ((rehearsed & bit) == 0) return std::nullopt;
    return (won & bit) != 0;
  }
  void add(Collective collective, Bytes size, bool by_us) {
    const std::uint64_t bit = bit_of(collective, size);
    rehearsed |= bit;
    if (by_us) won |= bit;
  }

 private:
  // None for what is never rehearsed.
  static std::uint64_t bit_of(Collective collective, Bytes size) {
    constexpr int octaves = 3;
    const int range = std::bit_width(size.value) / octaves;
    if (collective == Collective::allreduce) return std::uint64_t{1} << range;
    if (collective == Collective::reduce) return std::uint64_t{1} << (range + 32);
    return 0;
  }
};

}  // namespace quadrille
