// SPDX-License-Identifier: BSD-3-Clause
// A network to be simulated: hosts on switches and buses, joined to a tree by trunks.
//
// A sub-switch group of a switch is a node of its own, its inner link a trunk. Rates are bit/s of
// frames as probe/round.h counts them, buffers bytes of whole frames.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quadrille::probe {

using NodeIndex = std::uint32_t;

inline constexpr std::uint32_t kDeepBufferBytes = 16U << 20U;  // stands in for flow control
inline constexpr std::uint32_t kBusQueueBytes = 4U << 20U;     // all that waits in a bus's hosts

// A switch, a sub-switch group, or a bus: one queue that every frame on it passes once.
struct SimulatedNode {
  std::string name;
  bool bus = false;
  double rate_bit_s = 0;           // of the bus; of a switch, what its ports have by default
  std::uint32_t buffer_bytes = 0;  // of the bus's queue; of a switch's ports by default
  bool multicast = true;           // false: multicast frames are not forwarded
  // What all ports of the switch may hold together, beside each port's own limit; 0: no such limit.
  std::uint32_t shared_memory_bytes = 0;
  double ambient_share = 0;  // of a bus
  double loss = 0;           // of a bus
};

struct SimulatedHost {
  std::string name;
  NodeIndex node = 0;
  double out_bit_s = 0;            // the host's interface, with a queue of 1000 full frames
  double in_bit_s = 0;             // the switch's port towards it; unused on a bus
  std::uint32_t buffer_bytes = 0;  // of that port
  double ambient_out_share = 0;
  double ambient_in_share = 0;
  double loss_out = 0;
  double loss_in = 0;
  std::int64_t send_overhead_ns = 4000;
  std::int64_t receive_overhead_ns = 3000;
  std::string machine;  // empty: one of its own
  std::uint32_t cores = 8;
  std::uint32_t ranks = 1;
};

// A rate of 0 does not limit: a frame that comes off a bus has already been serialised there.
struct SimulatedTrunk {
  NodeIndex first = 0;
  NodeIndex second = 0;
  double forward_bit_s = 0;  // first to second
  double backward_bit_s = 0;
  std::uint32_t forward_buffer_bytes = 0;
  std::uint32_t backward_buffer_bytes = 0;
  std::int64_t delay_ns = 0;  // one way, beside the time on the wire
  double loss = 0;
  double forward_ambient_share = 0;
  double backward_ambient_share = 0;
  bool routed = false;  // a router decrements the time to live
};

struct SimulatedTopology {
  std::string name;
  // As in the emulated network: a token bucket of two full frames at each limited queue, so the
  // first two frames of an idle one pass without serialisation delay.
  bool token_buckets = false;
  std::vector<SimulatedNode> nodes;
  std::vector<SimulatedHost> hosts;    // in the order of ranks
  std::vector<SimulatedTrunk> trunks;  // a tree

  NodeIndex add_switch(const std::string& node_name, double rate_bit_s, double buffer_kib);
  NodeIndex add_bus(const std::string& node_name, double rate_bit_s);
  // `count` hosts h<n>, n counting on, at the node's rate.
  void add_hosts(NodeIndex node, std::uint32_t count);
  void add_host(NodeIndex node, const std::string& host_name);
  // At `rate_bit_s` in both directions, or the slower end's rate where that is 0. No queue at the
  // end of a bus.
  SimulatedTrunk& add_trunk(NodeIndex first, NodeIndex second, double rate_bit_s = 0);
};

// Every link and bus carries `share` of its rate for others, each direction.
void set_ambient(SimulatedTopology& topology, double share);

// Changes which rank has which host; names stay with the hosts.
void shuffle_hosts(SimulatedTopology& topology, std::uint64_t seed);

// Changes which host has which name: neighbours by name are no neighbours by cable then.
void shuffle_names(SimulatedTopology& topology, std::uint64_t seed);

// What is wrong with it (loops, parts without connection, indices), or nothing.
std::string problem_of(const SimulatedTopology& topology);

}  // namespace quadrille::probe
