// SPDX-License-Identifier: BSD-3-Clause
// Which candidates there are because there is a wire, multicast on it, or memory that the ranks of
// a host share (Needs of their rows).
#pragma once

#include <span>
#include <vector>

#include "base/units.h"
#include "network/topology_view.h"
#include "planner/plan_search.h"
#include "planner/planner.h"
#include "schedule/shape.h"

namespace quadrille {

bool needs_multicast(const Algorithm& algorithm);
// Whether what the algorithm needs of the network is there.
bool may_be_used(const Algorithm& algorithm, const TopologyView& view);

// Those in host memory, which calls below the trial's floor have too.
std::vector<const Algorithm*> in_host_memory(const Shape& shape, Bytes size,
                                             const TopologyView& view);

// Those that take part in a trial of calls of `size`, and those that do not.
class WireCandidates {
 public:
  // Below `floor` those in host memory alone.
  WireCandidates(const TopologyView& view, const Shape& shape, Bytes size, Bytes floor);
  bool has(const Algorithm& algorithm) const { return contains(own_, algorithm); }
  bool replaces(const Algorithm& algorithm) const { return contains(instead_of_, algorithm); }
  // With their predicted times where they are among the `costed`.
  void enter(Decision& decision, std::span<const CostedCandidate> costed) const;

 private:
  using Algorithms = std::vector<const Algorithm*>;
  static bool contains(const Algorithms& among, const Algorithm& algorithm);

  Algorithms own_;
  Algorithms instead_of_;
};

}  // namespace quadrille
