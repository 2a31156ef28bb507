// SPDX-License-Identifier: BSD-3-Clause
// How many ordered pairs of ranks there are between two segments, and how many of them stay inside
// a host or an island.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "network/network_costs.h"

namespace quadrille {

// Borrows `costs`.
class RankPairs {
 public:
  explicit RankPairs(const NetworkCosts& costs)
      : costs_(costs),
        on_host_(costs.hosts.size(), 0),
        in_segment_(costs.segments, 0),
        inside_(std::size_t{costs.segments} * costs.segments, 0) {
    for (const auto host : costs.host_of_rank) ++on_host_[host];
    for (std::size_t i = 0; i < on_host_.size(); ++i) {
      const auto& host = costs.hosts[i];
      in_segment_[host.segment] += on_host_[i];
      if (host.island == NetworkCosts::none) {
        inside_[between(host.segment, host.segment)] += on_host_[i] * on_host_[i];
      } else {
        islands_[host.island].ranks += on_host_[i];
        islands_[host.island].in_segment[host.segment] += on_host_[i];
      }
    }
    for (const auto& [number, island] : islands_) {
      for (const auto& [from, senders] : island.in_segment) {
        for (const auto& [to, receivers] : island.in_segment)
          inside_[between(from, to)] += senders * receivers;
      }
    }
  }

  std::uint64_t ranks_on(std::size_t host) const { return on_host_[host]; }
  // On the host, or the whole island where it is on one.
  std::uint64_t ranks_near(std::size_t host) const {
    const auto island = islands_.find(costs_.hosts[host].island);
    return island == islands_.end() ? on_host_[host] : island->second.ranks;
  }
  // Pairs of a rank in segment `from` and one in `to` whose messages take the network.
  std::uint64_t by_network(std::uint32_t from, std::uint32_t to) const {
    return in_segment_[from] * in_segment_[to] - inside_[between(from, to)];
  }

 private:
  struct Island {
    std::uint64_t ranks = 0;
    std::map<std::uint32_t, std::uint64_t> in_segment;
  };
  std::size_t between(std::uint32_t from, std::uint32_t to) const {
    return std::size_t{from} * costs_.segments + to;
  }

  const NetworkCosts& costs_;
  std::vector<std::uint64_t> on_host_;     // [hosts]
  std::vector<std::uint64_t> in_segment_;  // [segments]
  std::vector<std::uint64_t> inside_;      // [segments * segments]
  std::map<std::uint32_t, Island> islands_;
};

}  // namespace quadrille
