// SPDX-License-Identifier: BSD-3-Clause
// The time below which no algorithm can finish a collective operation on a given network.
//
// Every bound is a cut: the hosts on one side of a host link, a trunk or a shared bus, and the
// bytes that have to cross it whatever the algorithm does. The largest of these times is the
// bandwidth bound; ceil(log2 hosts) messages in a row are the latency bound, fewer with islands.
// Pure functions, no clock, no MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "network/framing.h"
#include "schedule/collective.h"

namespace quadrille {

// Rates of a network of segments joined by trunks. A rate of 0 means unknown or unlimited: it
// bounds nothing.
struct NetworkRates {
  struct Segment {
    std::string name;
    double bus_bytes_per_second = 0;  // only for a bus: what all its members share
  };
  struct Host {
    std::string name;
    std::uint32_t segment = 0;
    double out_bytes_per_second = 0;
    double in_bytes_per_second = 0;
    std::vector<std::string> members = {};  // of an island, which is one host here
  };
  struct Trunk {
    std::string name;
    std::uint32_t first = 0;  // segments
    std::uint32_t second = 0;
    double forward_bytes_per_second = 0;  // first to second
    double backward_bytes_per_second = 0;
  };
  std::vector<Segment> segments;
  std::vector<Host> hosts;
  std::vector<Trunk> trunks;
  double latency_ns = 0;  // one way, between two hosts, smallest known
};

struct BoundedCall {
  Collective collective = Collective::barrier;
  std::uint64_t bytes = 0;  // what Shape counts in elements, see message_size()
  Rank root = 0;
  std::vector<std::uint32_t> host_of_rank;  // [ranks], index into NetworkRates::hosts
  // Of a collective with counts: bytes of the block from one rank to another; those that all get
  // alike are the sender's, those that a root or all send are the receiver's.
  std::function<std::uint64_t(Rank from, Rank to)> block_bytes = {};
};

// For each name its index into network.hosts, or that of its island; nothing where one is not among
// them.
std::optional<std::vector<std::uint32_t>> host_indices(const NetworkRates& network,
                                                       const std::vector<std::string>& names);

// What a message on a bus reaches: all hosts that want it, or one, so that each takes a copy of its
// own. Hosts' links and trunks have to carry the same either way.
enum class Delivery : std::uint8_t { multicast, one_to_one };

struct LowerBound {
  double latency_ns = 0;
  double bandwidth_ns = 0;
  // Whether algorithms that multicast cannot be faster either. The latency bound and that of all
  // links together hold only where each message has one receiver.
  bool with_multicast = true;
  std::string
      bottleneck;  // what sets the bandwidth bound, such as "host h3 in"; empty where nothing does

  double time_ns() const { return latency_ns > bandwidth_ns ? latency_ns : bandwidth_ns; }
};

// REQUIRES: block_bytes where has_counts(call.collective), every host_of_rank <
// network.hosts.size(), every segment index valid, 0 <= root < ranks.
LowerBound lower_bound(const BoundedCall& call, const NetworkRates& network, Framing framing,
                       Delivery delivery = Delivery::multicast);

}  // namespace quadrille
