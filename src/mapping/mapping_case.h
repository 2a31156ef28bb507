// SPDX-License-Identifier: BSD-3-Clause
// Networks and graphs for the tests of this layer: small ones by hand, random ones by seed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "mapping/communication_graph.h"
#include "network/bounds.h"
#include "network/topology_view.h"

namespace quadrille {

struct MappingCase {
  NetworkRates network;
  TopologyView places;
  std::vector<Exchange> exchanges;
};

// One host for each entry of `segment_of_host`, `ranks_of_host` of them each, host after host.
inline TopologyView hosts_in(std::vector<std::uint32_t> segment_of_host,
                             const std::vector<Rank>& ranks_of_host) {
  TopologyView places{{}, std::move(segment_of_host)};
  for (std::uint32_t host = 0; host < ranks_of_host.size(); ++host)
    places.host_of_rank.insert(places.host_of_rank.end(),
                               static_cast<std::size_t>(ranks_of_host[host]), host);
  return places;
}

inline std::vector<Exchange> ring_of(Rank ranks) {
  std::vector<Exchange> exchanges;
  for (Rank rank = 0; rank < ranks; ++rank) exchanges.push_back({rank, (rank + 1) % ranks, 1});
  return exchanges;
}

// `buses` buses around one bridge, the last of the network's segments.
inline NetworkRates buses_around_a_bridge(std::uint32_t buses, double bytes_per_second) {
  NetworkRates network;
  for (std::uint32_t bus = 0; bus < buses; ++bus) {
    network.segments.push_back({"bus" + std::to_string(bus), bytes_per_second});
    network.trunks.push_back({"t" + std::to_string(bus), bus, buses, 0, 0});
  }
  network.segments.push_back({"bridge", 0});
  return network;
}

// A random tree of up to 5 segments with rates from all over, some unknown; `ranks` on random hosts
// in random order; a random graph.
inline MappingCase random_case(unsigned seed, Rank ranks) {
  std::minstd_rand lot(seed + 1);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(lot() % bound); };
  MappingCase made;
  const std::uint32_t segments = 1 + below(5);
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    made.network.segments.push_back({"s", below(3) == 0 ? 1e6 * (1 + below(10)) : 0});
    if (segment > 0 && below(6) > 0) {
      made.network.trunks.push_back({"t", below(segment), segment, 1e6 * below(20), 2e6});
    }
  }
  const std::uint32_t hosts = 1 + below(static_cast<std::uint32_t>(ranks));
  std::vector<std::uint32_t> number_of(hosts, hosts);
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::uint32_t& host = number_of[below(hosts)];
    if (host == hosts) {
      host = made.places.hosts();
      made.places.segment_of_host.push_back(below(segments));
    }
    made.places.host_of_rank.push_back(host);
  }
  const auto bound = static_cast<std::uint32_t>(ranks);
  for (std::uint32_t edges = below(3 * bound); edges > 0; --edges) {
    made.exchanges.push_back(
        {static_cast<Rank>(below(bound)), static_cast<Rank>(below(bound)), below(9)});
  }
  return made;
}

}  // namespace quadrille
