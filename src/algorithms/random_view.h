// SPDX-License-Identifier: BSD-3-Clause
// Test support: views of random clusters, the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "network/topology_view.h"

namespace quadrille {

// Uneven numbers of ranks a host and of hosts a segment, up to 6 segments of either kind; hosts of
// a segment stand in any order. Trunks form a tree through up to 3 junctions, a ring now and then,
// or leave some or all segments unjoined.
class RandomView {
 public:
  explicit RandomView(std::uint32_t seed) : random_(seed) {}

  TopologyView of_ranks(Rank ranks) {
    TopologyView view;
    const std::uint32_t segments = 1 + below(6);
    for (std::uint32_t i = 0; i < segments; ++i) {
      view.kind_of_segment.push_back(below(2) == 0 ? SegmentKind::bus : SegmentKind::switched);
    }
    const std::uint32_t most_hosts = 1 + below(static_cast<std::uint32_t>(ranks));
    const bool by_host = below(2) == 0;
    while (view.host_of_rank.size() < static_cast<std::size_t>(ranks)) {
      const std::uint32_t hosts = view.hosts();
      const bool opens = hosts == 0 || (hosts < most_hosts && (by_host || below(2) == 0));
      if (opens) view.segment_of_host.push_back(below(segments));
      view.host_of_rank.push_back(opens ? hosts : below(hosts));
    }
    const std::uint32_t places = segments + below(4);
    for (std::uint32_t place = 1; place < places; ++place) {
      if (below(8) > 0) view.trunks.push_back({below(place), place});
    }
    if (places > 2 && below(4) == 0) view.trunks.push_back({0, places - 1});
    view.has_wire = below(2) == 0;
    view.has_host_memory = below(2) == 0;
    view.has_multicast = view.has_wire && below(2) == 0;
    if (view.has_wire && !view.has_multicast) {
      for (std::uint32_t i = 0; i < segments; ++i)
        view.multicast_in_segment.push_back(below(2) == 0);
    }
    return view;
  }

 private:
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  std::mt19937 random_;
};

}  // namespace quadrille
