// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a host share its partner hosts where all blocks between two hosts travel as one
// message: hosts meet in the phases of host_phases(), and phase k is carried by rank k of the host,
// counted around its ranks, at both ends. A rank's place is its number among its host's ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/alltoall/partners_by_host.h"
#include "base/units.h"
#include "network/topology_view.h"

namespace quadrille {

class CarriedHosts {
 public:
  CarriedHosts(const TopologyView& view, Rank rank)
      : by_host_(view.ranks_by_host()),
        host_(view.host_of_rank[static_cast<std::size_t>(rank)]),
        place_(place_on_host(own(), rank)),
        phases_(host_phases(by_host_.size(), host_)) {}

  const std::vector<Rank>& own() const { return by_host_[host_]; }
  std::size_t place() const { return place_; }

  // One message each way: to the ranks `targets`, carried there by `target`; from the ranks
  // `sources`, carried by `source`.
  struct Meeting {
    const std::vector<Rank>& targets;
    const std::vector<Rank>& sources;
    Rank target = 0;
    Rank source = 0;
  };

  // Calls `visit` with the meetings that the rank at `place` carries.
  template <typename Visit>
  void for_each_carried(std::size_t place, const Visit& visit) const {
    for (std::size_t k = place; k < phases_.size(); k += own().size()) {
      const std::vector<Rank>& targets = by_host_[phases_[k].target];
      const std::vector<Rank>& sources = by_host_[phases_[k].source];
      visit(Meeting{targets, sources, targets[k % targets.size()], sources[k % sources.size()]});
    }
  }

  // Calls `visit` with the other ranks of the host and their places, beginning after the own one.
  template <typename Visit>
  void for_each_neighbour(const Visit& visit) const {
    for (std::size_t i = 1; i < own().size(); ++i) {
      const std::size_t place = (place_ + i) % own().size();
      visit(own()[place], place);
    }
  }

  // All ranks to which, or from which, the rank at `place` carries blocks, in the order of its
  // meetings.
  std::vector<Rank> targets_of(std::size_t place) const {
    std::vector<Rank> all;
    for_each_carried(place, [&](const Meeting& meeting) {
      all.insert(all.end(), meeting.targets.begin(), meeting.targets.end());
    });
    return all;
  }
  std::vector<Rank> sources_of(std::size_t place) const {
    std::vector<Rank> all;
    for_each_carried(place, [&](const Meeting& meeting) {
      all.insert(all.end(), meeting.sources.begin(), meeting.sources.end());
    });
    return all;
  }

 private:
  std::vector<std::vector<Rank>> by_host_;
  std::size_t host_;
  std::size_t place_;
  std::vector<HostPhase> phases_;
};

}  // namespace quadrille
