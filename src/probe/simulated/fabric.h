// SPDX-License-Identifier: BSD-3-Clause
// A topology laid out as queues: which one a frame enters next, at every node.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "probe/round.h"
#include "probe/simulated/egress_queue.h"
#include "probe/simulated/topologies/topology.h"

namespace quadrille::probe {

using QueueIndex = std::uint32_t;
inline constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

enum class Behind : std::uint8_t {
  host,      // the frame has arrived
  node,      // it enters the node
  bus_node,  // it has passed the bus and is forwarded
};

struct FabricQueue {
  QueuePlan plan;
  Behind behind = Behind::node;
  std::uint32_t target = 0;           // host or node
  QueueIndex opposite = kNowhere;     // of a trunk: the queue of the other direction
  HostIndex interface_of = kNowhere;  // of a host's own queue
  std::uint32_t pool = kNowhere;      // the node whose shared memory it takes
};

struct FabricNode {
  QueueIndex bus_queue = kNowhere;
  bool multicast = true;
  std::uint32_t shared_memory_bytes = 0;
  std::vector<QueueIndex> trunks;  // queues away from here
  std::vector<HostIndex> hosts;
  std::vector<QueueIndex> pool;  // queues that share its memory
};

struct Fabric {
  std::vector<FabricQueue> queues;
  std::vector<FabricNode> nodes;
  std::vector<NodeIndex> node_of;        // [hosts]
  std::vector<QueueIndex> interface_of;  // [hosts]
  std::vector<QueueIndex> port_of;       // [hosts]; kNowhere on a bus
  std::vector<QueueIndex> next;          // [nodes x nodes] queue at row towards column
  std::vector<std::uint8_t> routers;     // [nodes x nodes] on the way

  QueueIndex towards(NodeIndex at, NodeIndex target) const {
    return next[at * nodes.size() + target];
  }
  std::uint8_t routers_between(HostIndex from, HostIndex to) const {
    return routers[node_of[from] * nodes.size() + node_of[to]];
  }
};

// REQUIRES: problem_of(topology) is empty.
Fabric lay_out(const SimulatedTopology& topology);

}  // namespace quadrille::probe
