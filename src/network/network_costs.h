// SPDX-License-Identifier: BSD-3-Clause
// What messages between the ranks of one communicator cost on a measured network, in integers.
//
// A message occupies resources one after the other: its host's way out, a bus, trunks, the way into
// the other host. A resource serves one byte at a time; `ps_per_byte` is how long that takes.
//
// Every rank computes this from the same model, and plans by it must be equal, so there is no
// floating point after this. The model's numbers, written as decimal text, become integers by
// single operations that IEEE 754 rounds correctly (a product, then a rounding), never by
// expressions that a compiler may fuse.
//
// Immutable after network_costs(); may be read by any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "network/framing.h"
#include "network/model/model.h"

namespace quadrille {

// Of values that no model knows.
struct CostDefaults {
  // The most common rate of cluster ports: 1 Gbit/s.
  static constexpr std::uint64_t ps_per_byte = 8'000;
  // Half round trip of 64 B between two processes that sleep while they wait, measured between
  // network namespaces: 27 to 30 us. Cheap switches add some microseconds.
  static constexpr std::int64_t latency_ns = 30'000;
  // Half round trip of 64 B by MPI over TCP, both ends polling, less that of bare UDP: 6.2 to 8.5
  // us less 4.1 us, measured with Open MPI 4.1.4, Open MPI 5 and MPICH 5; half at each end.
  static constexpr std::int64_t overhead_ns = 2'000;
  // What the MPI library puts before a message's data on TCP: 22 B with Open MPI 4.1 as seen on the
  // wire (8 of its TCP transport, 14 of matching), about 40 B with MPICH; half way between.
  static constexpr std::uint64_t message_header_bytes = 31;
  // Between processes of one host: the order of magnitude that MPI libraries reach through shared
  // memory, 64 B in half a microsecond and two copies of each byte at 10 GB/s.
  static constexpr std::int64_t host_latency_ns = 500;
  static constexpr std::uint64_t host_ps_per_byte = 200;
  // One copy at 10 GB/s; a reduction reads twice what it writes.
  static constexpr std::uint64_t copy_ps_per_byte = 100;
  static constexpr std::uint64_t reduce_ps_per_byte = 200;
};

struct NetworkCosts {
  using ResourceIndex = std::uint32_t;
  static constexpr ResourceIndex none = 0xffffffffU;

  struct Resource {
    std::string name;                // "host h3 in", "bus b0", "trunk s0-s1 forward"
    std::uint64_t ps_per_byte = 0;   // 0: holds nothing up
    std::uint64_t buffer_bytes = 0;  // that may wait here at once without loss; 0: no limit known
  };
  struct Host {
    std::uint32_t segment = 0;
    ResourceIndex out = none;
    ResourceIndex in = none;
    ResourceIndex memory = none;  // messages between its own ranks
    // Its island: none, or the same number on hosts that a network of their own joins.
    std::uint32_t island = none;
    ResourceIndex island_out = none;
    ResourceIndex island_in = none;
    std::int64_t island_latency_ns = 0;
    std::int64_t send_overhead_ns = 0;
    std::int64_t receive_overhead_ns = 0;
    std::int64_t gap_ns = 0;
  };
  // From a segment to a segment: buses and trunks in the order in which they are passed.
  struct Path {
    std::uint32_t first = 0;  // into path_resources
    std::uint32_t count = 0;
    std::int64_t latency_ns = 0;
  };
  // How TCP and the MPI library move a message.
  struct Protocol {
    std::uint64_t header_bytes = CostDefaults::message_header_bytes;  // of each message
    // Up to here the MPI library sends without asking the receiver: btl_tcp_eager_limit of Open MPI
    // (opal/mca/btl/tcp/btl_tcp_component.c).
    std::uint64_t eager_bytes = 65'536;
    // What a connection puts under way before it knows its path: ten full frames, RFC 6928.
    std::uint64_t window_frames = 10;
    // Under way on a connection that learns of a loss before its timer ends: RFC 5681.
    std::uint64_t repairing_frames = 4;
    // The timer ends no earlier than this: TCP_RTO_MIN of Linux (include/net/tcp.h).
    std::int64_t retransmission_ns = 200'000'000;
  };

  std::vector<Resource> resources;
  std::vector<Host> hosts;
  std::uint32_t segments = 0;               // that have hosts of the communicator
  std::vector<std::uint32_t> host_of_rank;  // [ranks]
  std::vector<Path> paths;                  // [segments * segments]
  std::vector<ResourceIndex> path_resources;
  Framing framing = kTcpFrames;
  Protocol protocol;
  std::int64_t host_latency_ns = CostDefaults::host_latency_ns;
  std::uint64_t copy_ps_per_byte = CostDefaults::copy_ps_per_byte;
  std::uint64_t reduce_ps_per_byte = CostDefaults::reduce_ps_per_byte;

  Rank ranks() const { return static_cast<Rank>(host_of_rank.size()); }
  const Host& host_of(Rank rank) const {
    return hosts[host_of_rank[static_cast<std::size_t>(rank)]];
  }
  // What passes by the network that the model describes: not inside a host or an island.
  bool by_network(const Host& from, const Host& to) const {
    return &from != &to && (from.island == none || from.island != to.island);
  }
  bool by_network(Rank from, Rank to) const { return by_network(host_of(from), host_of(to)); }
  // One way. REQUIRES: `from` and `to` are of `hosts`.
  std::int64_t latency_ns(const Host& from, const Host& to) const {
    if (&from == &to) return host_latency_ns;
    return by_network(from, to) ? path(from.segment, to.segment).latency_ns
                                : from.island_latency_ns;
  }
  // The sender's and the receiver's own part of the way.
  ResourceIndex out(const Host& from, const Host& to) const {
    if (&from == &to) return from.memory;
    return by_network(from, to) ? from.out : from.island_out;
  }
  ResourceIndex in(const Host& from, const Host& to) const {
    if (&from == &to) return to.memory;
    return by_network(from, to) ? to.in : to.island_in;
  }
  // What is between them: buses and trunks in their order.
  std::span<const ResourceIndex> between(const Host& from, const Host& to) const {
    if (!by_network(from, to)) return {};
    return resources_of(path(from.segment, to.segment));
  }
  const Path& path(std::uint32_t from_segment, std::uint32_t to_segment) const {
    return paths[std::size_t{from_segment} * segments + to_segment];
  }
  std::span<const ResourceIndex> resources_of(const Path& path) const {
    return {path_resources.data() + path.first, path.count};
  }
  // Visits the resources that a message from `from` to `to` occupies, in their order.
  template <typename Visit>
  void for_each_on_way(Rank from, Rank to, const Visit& visit) const {
    const Host& source = host_of(from);
    const Host& target = host_of(to);
    visit(out(source, target));
    for (const ResourceIndex resource : between(source, target)) visit(resource);
    if (&source != &target) visit(in(source, target));
  }
  // Of a message with `bytes` of payload on its way from `from` to `to`: inside hosts and islands
  // there are no frames that count.
  std::uint64_t on_way(const Host& from, const Host& to, std::uint64_t bytes) const {
    return by_network(from, to) ? on_wire(bytes) : bytes;
  }
  // Of a message with `bytes` of payload, its header and those of its packets included.
  std::uint64_t on_wire(std::uint64_t bytes) const {
    return framing.on_wire(protocol.header_bytes + bytes);
  }
};

// How long `bytes` take, rounded up.
inline std::int64_t duration_ns(std::uint64_t bytes, std::uint64_t ps_per_byte) {
  const std::uint64_t rest = bytes % 1000 * ps_per_byte;
  return static_cast<std::int64_t>(bytes / 1000 * ps_per_byte + (rest + 999) / 1000);
}

// The costs for a communicator whose rank i runs on the model's host `host_of_rank[i]`, as hosts_of
// finds them. Hosts whose segment is unknown, and segments that no trunk joins, count as one switch
// without limit between them.
// REQUIRES: `model` was parsed or passes check_model; every index < model.hosts.size().
NetworkCosts network_costs(const NetworkModel& model, std::span<const std::uint32_t> host_of_rank);

}  // namespace quadrille
