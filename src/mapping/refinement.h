// SPDX-License-Identifier: BSD-3-Clause
// Betters a placement by exchanging pairs of ranks.
#pragma once

#include <cstdint>

#include "mapping/placement.h"

namespace quadrille {

// What may still be spent, in steps along edges. Counted and not timed: every run ends alike.
struct Effort {
  std::uint64_t left = 0;

  bool spend(std::uint64_t steps) {
    const bool enough = left >= steps;
    left -= enough ? steps : left;
    return enough;
  }
};

// Exchanges each rank with whoever betters the cost most, as long as anybody does and the effort
// lasts. Never worse than before.
void refine(Placement& placement, const CommunicationGraph& graph, Effort& effort);

// Goes on from a refined placement: some ranks are exchanged by lot (of a fixed seed), the result
// is refined and kept where it is no worse, until the effort is spent.
void refine_by_lot(Placement& placement, const CommunicationGraph& graph, Effort& effort);

}  // namespace quadrille
