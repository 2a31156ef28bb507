// SPDX-License-Identifier: BSD-3-Clause
// The order in which a rank exchanges with all others so that in each phase a host has one host to
// send to and one to receive from. Where hosts are even in number, these are the same, so that what
// each says of the other's data rides on its own: the phases are the rounds of a tournament (circle
// method: T. P. Kirkman, Cambridge and Dublin Mathematical Journal 2, 1847). With an odd number one
// would have to sit out in each round; then hosts stand in a ring.
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

// In phase k of it all ranks of a host meet those of one that they send to, and of one that they
// receive from, each of which counts the phase alike.
struct HostPhase {
  std::size_t source = 0;
  std::size_t target = 0;
};
std::vector<HostPhase> host_phases(std::size_t hosts, std::size_t host);
// The same where equally many hosts stand at each of several switches: first the switches meet as
// hosts do, so that all trunks carry the same at any time, those that carry less than their hosts
// send too; then the hosts of each switch.
std::vector<HostPhase> host_phases(const TopologyView& view, std::size_t host);

// Which of its host's ranks, ascending, `rank` is.
std::size_t place_on_host(const std::vector<Rank>& own, Rank rank);

// Whom `own` of `count` meets in round 0 to count - 2 of a tournament. REQUIRES: `count` even.
std::size_t partner_in_round(std::size_t count, std::size_t own, std::size_t round);

}  // namespace quadrille
