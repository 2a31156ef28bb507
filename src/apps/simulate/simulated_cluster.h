// SPDX-License-Identifier: BSD-3-Clause
// The network of `quadrille simulate`: a model's file, or one made up by name, as a planner knows
// it and as switches and ports.
//
//   switch[:NAME=VALUE...]       all hosts at one switch
//   leaf-spine[:NAME=VALUE...]   `leaf` hosts at each leaf; each leaf has a port to each spine,
//                                together `leaf` / `over` times as fast as a host's
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "network/model/model.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::simulate {

// What a name may be followed by; a file's values are its own, but for those that it lacks.
// What a datagram costs a processor where nothing else is said: by UDP sockets 64 bytes take 2.6 us
// from end to end, a message of the wire 1 us more (docs/links.md); of those, of the packets of a
// run each costs half a microsecond at either end (docs/decisions/55) and 0.1 for the wire itself
// (docs/decisions/68).
inline constexpr std::int64_t usual_call_ns = 1200;
inline constexpr std::int64_t usual_packet_ns = 600;

struct ClusterSettings {
  std::uint32_t hosts = 0;  // 0: as many as the ranks need
  std::uint32_t leaf = 16;  // hosts of a leaf
  std::uint32_t spines = 2;
  double over = 2;                 // oversubscription
  double rate_gbit = 10;           // of a host's cable
  std::uint32_t buffer_kib = 256;  // of each port of a switch
  double latency_us = 2;           // from a host through its switch
  double trunk_us = 1;             // from a switch through the next
  std::uint32_t mtu = 1500;
  bool multicast = true;
};

struct Cluster {
  NetworkModel model;
  std::vector<std::uint32_t> ways;  // [trunks of the model]: ports side by side
  ClusterSettings settings;
  bool is_named = false;  // else a file's
};

// `hosts`: that the ranks need. Errors say what is wrong with the name, or with the file and where.
Result<Cluster> cluster_of(const std::string& network, std::uint32_t hosts);

// The switches and ports of the model, whose hosts are `hosts` by number, without anything of the
// endpoints. A model's latency is that of a short message, of which processors have their part.
// Errors: a rate of 0, a bus, an island.
Result<wire::SimulatedSettings> ports_of(const Cluster& cluster,
                                         const std::vector<std::uint32_t>& hosts,
                                         const wire::SimulatedProcessor& processor);

}  // namespace quadrille::simulate
