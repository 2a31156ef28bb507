// SPDX-License-Identifier: BSD-3-Clause
// Reads segments, rates and trunks off the topology.
#include "probe/simulated/topologies/expected_network.h"

#include <algorithm>
#include <numeric>

#include "probe/simulated/saturation.h"

namespace quadrille::probe {
namespace {

double lesser(double one, double other) {
  if (one <= 0 || other <= 0) return std::max(one, other);
  return std::min(one, other);
}

// Which nodes are one segment: [nodes] the first node of it.
std::vector<NodeIndex> segment_of_nodes(const SimulatedTopology& topology) {
  std::vector<NodeIndex> segment(topology.nodes.size());
  std::iota(segment.begin(), segment.end(), 0);
  const auto offers = trunk_offers(topology);
  for (std::size_t at = 0; at < topology.trunks.size(); ++at) {
    const SimulatedTrunk& trunk = topology.trunks[at];
    const bool bus = topology.nodes[trunk.first].bus || topology.nodes[trunk.second].bus;
    if (bus || trunk.delay_ns > 0 || is_saturable(trunk, offers[at], 1.0)) continue;
    const NodeIndex kept = std::min(segment[trunk.first], segment[trunk.second]);
    const NodeIndex replaced = std::max(segment[trunk.first], segment[trunk.second]);
    std::replace(segment.begin(), segment.end(), replaced, kept);
  }
  return segment;
}

// The nodes on the far side of trunk `cut`, seen from its second end.
std::vector<bool> second_side_of(const SimulatedTopology& topology, std::size_t cut) {
  std::vector<bool> inside(topology.nodes.size(), false);
  inside[topology.trunks[cut].second] = true;
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t at = 0; at < topology.trunks.size(); ++at) {
      const SimulatedTrunk& trunk = topology.trunks[at];
      if (at == cut || inside[trunk.first] == inside[trunk.second]) continue;
      inside[trunk.first] = inside[trunk.second] = grown = true;
    }
  }
  return inside;
}

ExpectedTrunk expected_trunk(const SimulatedTopology& topology, std::size_t at) {
  const SimulatedTrunk& trunk = topology.trunks[at];
  const auto far = second_side_of(topology, at);
  ExpectedTrunk expected;
  for (const auto& host : topology.hosts) {
    (far[host.node] ? expected.second_side : expected.first_side).push_back(host.name);
  }
  std::sort(expected.first_side.begin(), expected.first_side.end());
  std::sort(expected.second_side.begin(), expected.second_side.end());
  const SimulatedNode& first = topology.nodes[trunk.first];
  const SimulatedNode& second = topology.nodes[trunk.second];
  expected.forward_bit_s = lesser(trunk.forward_bit_s, first.bus ? first.rate_bit_s : 0);
  expected.backward_bit_s = lesser(trunk.backward_bit_s, second.bus ? second.rate_bit_s : 0);
  expected.saturable = is_saturable(trunk, trunk_offers(topology)[at], 1.0);
  return expected;
}

void add(std::vector<ExpectedTrunk>& trunks, ExpectedTrunk trunk) {
  if (trunk.first_side.empty() || trunk.second_side.empty()) return;
  for (auto& known : trunks) {
    const bool same = known.first_side == trunk.first_side;
    if (!same && known.first_side != trunk.second_side) continue;
    if (!same) std::swap(trunk.forward_bit_s, trunk.backward_bit_s);
    known.forward_bit_s = lesser(known.forward_bit_s, trunk.forward_bit_s);
    known.backward_bit_s = lesser(known.backward_bit_s, trunk.backward_bit_s);
    known.saturable = known.saturable || trunk.saturable;
    return;
  }
  trunks.push_back(std::move(trunk));
}

}  // namespace

std::vector<ExpectedSegment> expected_segments(const SimulatedTopology& topology) {
  const auto segment_of = segment_of_nodes(topology);
  std::vector<ExpectedSegment> segments;
  for (NodeIndex node = 0; node < topology.nodes.size(); ++node) {
    const SimulatedNode& given = topology.nodes[node];
    ExpectedSegment segment;
    segment.name = given.name;
    segment.kind = given.bus ? SegmentKind::bus : SegmentKind::switched;
    segment.bus_rate_bit_s = given.bus ? given.rate_bit_s : 0;
    for (const auto& host : topology.hosts) {
      if (segment_of[host.node] != node) continue;
      segment.hosts.push_back(host.name);
      segment.multicast = segment.multicast && topology.nodes[host.node].multicast;
      if (given.bus) continue;
      const bool least = segment.buffer_bytes == 0 || host.buffer_bytes < segment.buffer_bytes;
      if (least) segment.buffer_bytes = host.buffer_bytes;
    }
    if (segment.hosts.empty()) continue;
    std::sort(segment.hosts.begin(), segment.hosts.end());
    segments.push_back(std::move(segment));
  }
  return segments;
}

ExpectedNetwork expected_network(const SimulatedTopology& topology) {
  ExpectedNetwork expected;
  expected.segments = expected_segments(topology);
  for (const auto& host : topology.hosts) {
    const SimulatedNode& node = topology.nodes[host.node];
    const double shared = node.bus ? node.rate_bit_s : 0;
    expected.hosts.push_back(
        {host.name, lesser(host.out_bit_s, shared), node.bus ? shared : host.in_bit_s});
  }
  for (std::size_t at = 0; at < topology.trunks.size(); ++at) {
    add(expected.trunks, expected_trunk(topology, at));
  }
  return expected;
}

}  // namespace quadrille::probe
