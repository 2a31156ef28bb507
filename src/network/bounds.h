// SPDX-License-Identifier: BSD-3-Clause
// The time below which no algorithm can finish a collective operation on a given network.
//
// Every bound is a cut: the hosts on one side of a host link, a trunk or a shared bus, and the
// bytes that have to cross it whatever the algorithm does (multicast counts once). The largest of
// these times is the bandwidth bound; ceil(log2 hosts) messages in a row are the latency bound.
// Pure functions, no clock, no MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace quadrille {

enum class BoundedOperation : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  allgather,
  alltoall,
  gather,
  scatter,
  reduce_scatter_block,
  scan,
};
std::optional<BoundedOperation> bounded_operation_named(std::string_view name);

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

// What a byte of payload costs on the wire: each `payload` bytes carry `overhead` more. {1, 0} is
// payload alone.
struct Framing {
  std::uint64_t payload = 1;
  std::uint64_t overhead = 0;

  double on_wire(std::uint64_t bytes) const;
};
inline constexpr Framing kPayloadOnly{1, 0};
// TCP with time stamps over IPv4 and Ethernet at MTU 1500: 1448 of 1514 bytes, as an emulated link
// counts them.
inline constexpr Framing kTcpFrames{1448, 66};
// The same on a cable: 1448 of 1538 bytes with preamble, check sequence and gap between frames.
inline constexpr Framing kTcpSlots{1448, 90};

struct BoundedCall {
  BoundedOperation operation = BoundedOperation::barrier;
  std::uint64_t bytes =
      0;  // message; a rank (allgather, gather, scatter, reduce_scatter_block); a pair (alltoall)
  Rank root = 0;
  std::vector<std::uint32_t> host_of_rank;  // [ranks], index into NetworkRates::hosts
};

struct LowerBound {
  double latency_ns = 0;
  double bandwidth_ns = 0;
  std::string
      bottleneck;  // what sets the bandwidth bound, such as "host h3 in"; empty where nothing does

  double time_ns() const { return latency_ns > bandwidth_ns ? latency_ns : bandwidth_ns; }
};

// REQUIRES: every host_of_rank < network.hosts.size(), every segment index valid, 0 <= root <
// ranks.
LowerBound lower_bound(const BoundedCall& call, const NetworkRates& network, Framing framing);

}  // namespace quadrille
