// SPDX-License-Identifier: BSD-3-Clause
// Which candidates there are because there is a wire, or multicast on it (wire_candidates.def).
#pragma once

#include <span>

#include "base/units.h"
#include "network/topology_view.h"
#include "planner/plan_search.h"
#include "planner/planner.h"
#include "schedule/shape.h"

namespace quadrille {

bool needs_multicast(const Algorithm& algorithm);
// Whether what the algorithm needs of the network is there.
bool may_be_used(const Algorithm& algorithm, const TopologyView& view);

// The one that takes part in a trial of calls of `size`, and what does not.
class ByWire {
 public:
  ByWire(const TopologyView& view, const Shape& shape, Bytes size);

  // Whether there is one for calls of some size.
  static bool takes_part(Collective collective, const TopologyView& view);

  bool is(const Algorithm& algorithm) const { return own_ == &algorithm; }
  bool replaces(const Algorithm& algorithm) const { return instead_of_ == &algorithm; }
  // With its predicted time where it is among the `costed`.
  void enter(Decision& decision, std::span<const CostedCandidate> costed) const;

 private:
  const Algorithm* own_ = nullptr;  // null: none
  const Algorithm* instead_of_ = nullptr;
};

}  // namespace quadrille
