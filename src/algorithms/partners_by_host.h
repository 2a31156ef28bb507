// SPDX-License-Identifier: BSD-3-Clause
// The order in which a rank exchanges with all others so that in each phase a host has one partner
// host to send to and one to receive from: hosts in a ring, and of the partner host all ranks, each
// rank of a host beginning with another of them.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"
#include "network/topology_view.h"

namespace quadrille {

struct ExchangePartners {
  std::vector<Rank> on_own_host;  // in a ring, without the rank itself
  std::vector<Rank> targets;      // on other hosts
  std::vector<Rank> sources;

  // Calls `exchange(source, target)` for each partner, those on the own host first.
  template <typename Exchange>
  void in_order(const Exchange& exchange) const {
    for (const Rank partner : on_own_host) exchange(partner, partner);
    for (std::size_t i = 0; i < targets.size(); ++i) exchange(sources[i], targets[i]);
  }
};

ExchangePartners partners_by_host(const TopologyView& view, Rank rank);

}  // namespace quadrille
