// SPDX-License-Identifier: BSD-3-Clause
// Lays out queues and finds the one way between any two nodes of the tree.
#include "probe/simulated/fabric.h"

#include <algorithm>
#include <cmath>

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kInterfaceFrames = 1000;  // Linux's default transmit queue

class Layout {
 public:
  explicit Layout(const SimulatedTopology& topology) : topology_(topology) {
    fabric_.nodes.resize(topology.nodes.size());
  }

  Fabric make() {
    for (NodeIndex node = 0; node < topology_.nodes.size(); ++node) add_node(node);
    for (HostIndex host = 0; host < topology_.hosts.size(); ++host) add_host(host);
    for (const auto& trunk : topology_.trunks) add_trunk(trunk);
    find_ways();
    return std::move(fabric_);
  }

 private:
  QueuePlan plan(double rate_bit_s, std::uint32_t limit_bytes) const {
    // As the lab's wiring: two frames, or 2 us of the rate where that is more.
    const auto bucket =
        std::max(2 * kFullFrameBytes, static_cast<std::uint32_t>(std::ceil(rate_bit_s / 8 * 2e-6)));
    return {.rate_bit_s = rate_bit_s,
            .limit_bytes = limit_bytes,
            .bucket_bytes = topology_.token_buckets ? bucket : 0};
  }

  QueueIndex add(const FabricQueue& queue) {
    fabric_.queues.push_back(queue);
    return static_cast<QueueIndex>(fabric_.queues.size() - 1);
  }

  // `queue` belongs to the switch `node` and takes of its shared memory, if it has one.
  void share_memory(QueueIndex queue, NodeIndex node) {
    if (fabric_.nodes[node].shared_memory_bytes == 0) return;
    fabric_.queues[queue].pool = node;
    fabric_.nodes[node].pool.push_back(queue);
  }

  void add_node(NodeIndex node) {
    const SimulatedNode& given = topology_.nodes[node];
    fabric_.nodes[node].multicast = given.multicast;
    fabric_.nodes[node].shared_memory_bytes = given.bus ? 0 : given.shared_memory_bytes;
    if (!given.bus) return;
    FabricQueue queue{.plan = plan(given.rate_bit_s, given.buffer_bytes),
                      .behind = Behind::bus_node,
                      .target = node};
    queue.plan.ambient_share = given.ambient_share;
    queue.plan.loss = given.loss;
    fabric_.nodes[node].bus_queue = add(queue);
  }

  void add_host(HostIndex host) {
    const SimulatedHost& given = topology_.hosts[host];
    FabricQueue out{.plan = plan(given.out_bit_s, kInterfaceFrames * kFullFrameBytes),
                    .behind = Behind::node,
                    .target = given.node,
                    .interface_of = host};
    out.plan.ambient_share = given.ambient_out_share;
    out.plan.loss = given.loss_out;
    fabric_.interface_of.push_back(add(out));
    fabric_.node_of.push_back(given.node);
    fabric_.nodes[given.node].hosts.push_back(host);
    if (topology_.nodes[given.node].bus) {
      fabric_.port_of.push_back(kNowhere);
      return;
    }
    FabricQueue in{
        .plan = plan(given.in_bit_s, given.buffer_bytes), .behind = Behind::host, .target = host};
    in.plan.ambient_share = given.ambient_in_share;
    in.plan.loss = given.loss_in;
    fabric_.port_of.push_back(add(in));
    share_memory(fabric_.port_of.back(), given.node);
  }

  void add_trunk(const SimulatedTrunk& trunk) {
    FabricQueue forward{.plan = plan(trunk.forward_bit_s, trunk.forward_buffer_bytes),
                        .behind = Behind::node,
                        .target = trunk.second};
    FabricQueue backward{.plan = plan(trunk.backward_bit_s, trunk.backward_buffer_bytes),
                         .behind = Behind::node,
                         .target = trunk.first};
    forward.plan.ambient_share = trunk.forward_ambient_share;
    backward.plan.ambient_share = trunk.backward_ambient_share;
    forward.plan.delay_ns = backward.plan.delay_ns = trunk.delay_ns;
    forward.plan.loss = backward.plan.loss = trunk.loss;
    const QueueIndex there = add(forward);
    const QueueIndex back = add(backward);
    fabric_.queues[there].opposite = back;
    fabric_.queues[back].opposite = there;
    fabric_.nodes[trunk.first].trunks.push_back(there);
    fabric_.nodes[trunk.second].trunks.push_back(back);
    share_memory(there, trunk.first);
    share_memory(back, trunk.second);
    if (!trunk.routed) return;
    routed_.push_back(there);
    routed_.push_back(back);
  }

  void find_ways() {
    const std::size_t nodes = fabric_.nodes.size();
    fabric_.next.assign(nodes * nodes, kNowhere);
    fabric_.routers.assign(nodes * nodes, 0);
    for (NodeIndex target = 0; target < nodes; ++target) spread_from(target);
  }

  // Walks the tree outwards from `target`: every node reaches it by the way the walk came.
  void spread_from(NodeIndex target) {
    const std::size_t nodes = fabric_.nodes.size();
    std::vector<NodeIndex> reached{target};
    for (std::size_t at = 0; at < reached.size(); ++at) {
      const NodeIndex node = reached[at];
      for (const QueueIndex away : fabric_.nodes[node].trunks) {
        if (away == fabric_.towards(node, target)) continue;
        const NodeIndex neighbour = fabric_.queues[away].target;
        const bool routed = std::find(routed_.begin(), routed_.end(), away) != routed_.end();
        fabric_.next[neighbour * nodes + target] = fabric_.queues[away].opposite;
        fabric_.routers[neighbour * nodes + target] =
            static_cast<std::uint8_t>(fabric_.routers[node * nodes + target] + (routed ? 1 : 0));
        reached.push_back(neighbour);
      }
    }
  }

  const SimulatedTopology& topology_;
  Fabric fabric_;
  std::vector<QueueIndex> routed_;
};

}  // namespace

Fabric lay_out(const SimulatedTopology& topology) { return Layout(topology).make(); }

}  // namespace quadrille::probe
