// SPDX-License-Identifier: BSD-3-Clause
// Two levels for small calls: the ranks of a host meet in its memory, and one of them, its leader,
// exchanges messages with the leaders of other hosts. So a network message takes the place of as
// many as there are ranks on a host.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/trees/place_in_tree.h"
#include "base/units.h"
#include "network/topology_view.h"
#include "schedule/schedule.h"

namespace quadrille {

// Whether the call is small enough for a group step in host memory.
bool fits_host_memory(const Shape& shape);

class TwoLevels {
 public:
  // The first rank of each host leads it; `root` its own, if there is one. Borrows the view.
  explicit TwoLevels(const GeneratorInput& input, Rank root = -1);

  Rank hosts() const { return static_cast<Rank>(leaders_.size()); }
  Rank own_host() const { return own_host_; }
  Rank leader(Rank host) const { return leaders_[static_cast<std::size_t>(host)]; }
  Rank own_leader() const { return leader(own_host_); }
  bool leads() const { return own_leader() == self_; }
  // Of the host, ascending; empty where this rank is alone there.
  std::span<const Rank> group() const { return group_; }

  Rank host_of(Rank rank) const;

  // A binomial tree of the leaders, and the group below each; or the group alone. Borrow from this.
  PlaceInTree place(Rank root_host) const;
  PlaceInTree place_on_host() const;

 private:
  const TopologyView& view_;
  Rank self_;
  Rank own_host_;
  std::vector<Rank> leaders_;  // [hosts]
  std::vector<Rank> group_;
};

}  // namespace quadrille
