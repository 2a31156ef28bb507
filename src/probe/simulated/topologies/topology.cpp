// SPDX-License-Identifier: BSD-3-Clause
// Puts topologies together and checks that they are trees.
#include "probe/simulated/topologies/topology.h"

#include <algorithm>
#include <utility>

#include "base/disjoint_sets.h"
#include "probe/simulated/chance.h"

namespace quadrille::probe {
namespace {

// Fisher and Yates, by the same chance on every machine.
template <typename Swap>
void swap_by_lot(std::size_t count, std::uint64_t seed, const Swap& swap) {
  Chance chance(seed);
  for (std::size_t left = count; left > 1; --left)
    swap(left - 1, chance.number(0, static_cast<std::uint32_t>(left - 1)));
}

}  // namespace

NodeIndex SimulatedTopology::add_switch(const std::string& node_name, double rate_bit_s,
                                        double buffer_kib) {
  nodes.push_back({.name = node_name,
                   .rate_bit_s = rate_bit_s,
                   .buffer_bytes = static_cast<std::uint32_t>(buffer_kib * 1024)});
  return static_cast<NodeIndex>(nodes.size() - 1);
}

NodeIndex SimulatedTopology::add_bus(const std::string& node_name, double rate_bit_s) {
  nodes.push_back(
      {.name = node_name, .bus = true, .rate_bit_s = rate_bit_s, .buffer_bytes = kBusQueueBytes});
  return static_cast<NodeIndex>(nodes.size() - 1);
}

void SimulatedTopology::add_host(NodeIndex node, const std::string& host_name) {
  SimulatedHost host;
  host.name = host_name;
  host.node = node;
  host.out_bit_s = host.in_bit_s = nodes[node].rate_bit_s;
  host.buffer_bytes = nodes[node].buffer_bytes;
  hosts.push_back(std::move(host));
}

void SimulatedTopology::add_hosts(NodeIndex node, std::uint32_t count) {
  for (std::uint32_t added = 0; added < count; ++added) {
    add_host(node, "h" + std::to_string(hosts.size()));
  }
}

SimulatedTrunk& SimulatedTopology::add_trunk(NodeIndex first, NodeIndex second, double rate_bit_s) {
  const double rate =
      rate_bit_s > 0 ? rate_bit_s : std::min(nodes[first].rate_bit_s, nodes[second].rate_bit_s);
  SimulatedTrunk trunk;
  trunk.first = first;
  trunk.second = second;
  trunk.forward_bit_s = nodes[first].bus ? 0 : rate;
  trunk.backward_bit_s = nodes[second].bus ? 0 : rate;
  trunk.forward_buffer_bytes = nodes[first].buffer_bytes;
  trunk.backward_buffer_bytes = nodes[second].buffer_bytes;
  trunks.push_back(trunk);
  return trunks.back();
}

void set_ambient(SimulatedTopology& topology, double share) {
  for (auto& node : topology.nodes) node.ambient_share = node.bus ? share : 0;
  for (auto& trunk : topology.trunks) {
    trunk.forward_ambient_share = trunk.backward_ambient_share = share;
  }
  for (auto& host : topology.hosts) {
    // On a bus there is no cable of the host's own.
    const double own = topology.nodes[host.node].bus ? 0 : share;
    host.ambient_out_share = host.ambient_in_share = own;
  }
}

void shuffle_hosts(SimulatedTopology& topology, std::uint64_t seed) {
  swap_by_lot(topology.hosts.size(), seed, [&](std::size_t one, std::size_t other) {
    std::swap(topology.hosts[one], topology.hosts[other]);
  });
}

void shuffle_names(SimulatedTopology& topology, std::uint64_t seed) {
  swap_by_lot(topology.hosts.size(), seed, [&](std::size_t one, std::size_t other) {
    std::swap(topology.hosts[one].name, topology.hosts[other].name);
  });
}

std::string problem_of(const SimulatedTopology& topology) {
  const std::size_t nodes = topology.nodes.size();
  DisjointSets joined(nodes);
  for (const auto& trunk : topology.trunks) {
    if (trunk.first >= nodes || trunk.second >= nodes) {
      return "a trunk ends at a node that does not exist";
    }
    if (!joined.join(trunk.first, trunk.second)) {
      return "the trunk between " + topology.nodes[trunk.first].name + " and " +
             topology.nodes[trunk.second].name + " closes a loop";
    }
  }
  if (topology.trunks.size() + 1 != nodes) return "its nodes are not connected";
  for (const auto& host : topology.hosts) {
    if (host.node >= nodes) return host.name + " is at a node that does not exist";
    if (host.out_bit_s <= 0) return host.name + " has no rate";
  }
  return "";
}

}  // namespace quadrille::probe
