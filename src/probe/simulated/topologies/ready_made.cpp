// SPDX-License-Identifier: BSD-3-Clause
// One function for each network of the lab.
#include "probe/simulated/topologies/ready_made.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace quadrille::probe {
namespace {

constexpr double kMbit = 1e6;

// A network's own defaults, replaced by what was asked for.
struct Size {
  std::uint32_t hosts;
  double rate_bit_s;
  double buffer_kib;
};

using Maker = SimulatedTopology (*)(const Size&);

// Hosts `first`, `first` + `step`, ... below `end`.
void add_every(SimulatedTopology& topology, NodeIndex node, std::uint32_t first, std::uint32_t end,
               std::uint32_t step) {
  for (std::uint32_t at = first; at < end; at += step) {
    topology.add_host(node, "h" + std::to_string(at));
  }
}

// In the order of their names, as the lab numbers ranks.
void sort_hosts(SimulatedTopology& topology) {
  std::sort(topology.hosts.begin(), topology.hosts.end(),
            [](const SimulatedHost& one, const SimulatedHost& other) {
              return one.name.size() != other.name.size() ? one.name.size() < other.name.size()
                                                          : one.name < other.name;
            });
}

SimulatedTopology one_switch(const Size& size) {
  SimulatedTopology topology;
  topology.add_hosts(topology.add_switch("s0", size.rate_bit_s, size.buffer_kib), size.hosts);
  return topology;
}

SimulatedTopology two_switches_one_trunk(const Size& size) {
  SimulatedTopology topology;
  const auto even = topology.add_switch("s0", size.rate_bit_s, size.buffer_kib);
  const auto odd = topology.add_switch("s1", size.rate_bit_s, size.buffer_kib);
  topology.add_trunk(even, odd);
  add_every(topology, even, 0, size.hosts, 2);
  add_every(topology, odd, 1, size.hosts, 2);
  return topology;
}

SimulatedTopology two_sites(const Size& size) {
  SimulatedTopology topology;
  const auto near = topology.add_switch("s0", size.rate_bit_s, size.buffer_kib);
  const auto far = topology.add_switch("s1", size.rate_bit_s, size.buffer_kib);
  topology.add_trunk(near, far).delay_ns = 10'000'000;
  topology.add_hosts(near, (size.hosts + 1) / 2);
  topology.add_hosts(far, size.hosts / 2);
  return topology;
}

// Leaves have four hosts in the lab. Larger networks get up to 16 a leaf and more leaves, with the
// same oversubscription of two at each level.
SimulatedTopology three_levels(const Size& size) {
  constexpr std::uint32_t spines = 2;
  const std::uint32_t leaves = size.hosts <= 32 ? 2 : std::max(2U, size.hosts / (spines * 16));
  const std::uint32_t on_leaf = size.hosts / (spines * leaves);
  const double leaf_trunk = size.rate_bit_s * on_leaf / 2;
  SimulatedTopology topology;
  const auto core = topology.add_switch("core", size.rate_bit_s, size.buffer_kib);
  std::uint32_t left = size.hosts;
  for (std::uint32_t spine = 0; spine < spines; ++spine) {
    const std::string letter(1, static_cast<char>('a' + spine));
    const auto middle = topology.add_switch("spine-" + letter, size.rate_bit_s, size.buffer_kib);
    topology.add_trunk(core, middle, leaf_trunk * leaves / 2);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const auto node = topology.add_switch("leaf-" + letter + std::to_string(leaf),
                                            size.rate_bit_s, size.buffer_kib);
      topology.add_trunk(middle, node, leaf_trunk);
      const bool last = spine + 1 == spines && leaf + 1 == leaves;
      const std::uint32_t here = last ? left : on_leaf;
      topology.add_hosts(node, here);
      left -= here;
    }
  }
  return topology;
}

SimulatedTopology umbc_leaf(const Size& size) {
  constexpr std::uint32_t ports = 18;
  const double trunk = 9 * size.rate_bit_s;
  SimulatedTopology topology;
  const auto core = topology.add_switch("core", trunk, size.buffer_kib);
  for (std::uint32_t first = 0; first < size.hosts; first += ports) {
    const auto leaf = topology.add_switch("leaf" + std::to_string(first / ports), size.rate_bit_s,
                                          size.buffer_kib);
    topology.add_trunk(core, leaf, trunk);
    topology.add_hosts(leaf, std::min(ports, size.hosts - first));
  }
  return topology;
}

SimulatedTopology hp_port_groups(const Size& size) {
  constexpr std::uint32_t ports = 12;
  SimulatedTopology topology;
  const auto inner = topology.add_switch("hp", size.rate_bit_s, size.buffer_kib);
  for (std::uint32_t first = 0; first < size.hosts; first += ports) {
    const auto group =
        topology.add_switch("g" + std::to_string(first / ports), size.rate_bit_s, size.buffer_kib);
    topology.add_trunk(group, inner, 10 * size.rate_bit_s);
    topology.add_hosts(group, std::min(ports, size.hosts - first));
  }
  return topology;
}

SimulatedTopology eco_three_buses(const Size& size) {
  SimulatedTopology topology;
  const auto bridge = topology.add_switch("bridge", size.rate_bit_s, size.buffer_kib);
  for (std::uint32_t at = 0; at < 3; ++at) {
    const auto bus = topology.add_bus("bus" + std::to_string(at), size.rate_bit_s);
    topology.add_trunk(bridge, bus);
    add_every(topology, bus, at, size.hosts, 3);
  }
  return topology;
}

SimulatedTopology eco_table7(const Size& size) {
  const double fddi_rate = 10 * size.rate_bit_s;
  SimulatedTopology topology;
  const auto backbone = topology.add_switch("backbone", fddi_rate, 256);
  const std::array<NodeIndex, 5> nodes{
      topology.add_bus("alpha0", size.rate_bit_s), topology.add_bus("alpha1", size.rate_bit_s),
      topology.add_bus("power", size.rate_bit_s), topology.add_switch("fddi", fddi_rate, 256),
      topology.add_switch("indy", size.rate_bit_s, size.buffer_kib)};
  constexpr std::array<std::uint32_t, 5> counts{3, 3, 5, 2, 7};
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    topology.add_trunk(backbone, nodes[at]);
    topology.add_hosts(nodes[at], counts[at]);
  }
  return topology;
}

struct Entry {
  std::string_view name;
  Maker make;
  Size size;
  std::uint32_t least_hosts;
  std::uint32_t most_hosts;
};

constexpr std::uint32_t kMostHosts = 1024;
constexpr std::array<Entry, 8> kEntries{{
    {"one_switch", one_switch, {16, 25 * kMbit, 32}, 2, kMostHosts},
    {"two_switches_one_trunk", two_switches_one_trunk, {8, 50 * kMbit, 32}, 4, kMostHosts},
    {"three_levels", three_levels, {16, 25 * kMbit, 32}, 12, kMostHosts},
    {"umbc_leaf", umbc_leaf, {36, 10 * kMbit, 32}, 30, kMostHosts},
    {"hp_port_groups", hp_port_groups, {48, 5 * kMbit, 32}, 24, kMostHosts},
    {"two_sites", two_sites, {8, 50 * kMbit, 64}, 4, kMostHosts},
    {"eco_three_buses", eco_three_buses, {8, 10 * kMbit, 256}, 6, kMostHosts},
    {"eco_table7", eco_table7, {20, 10 * kMbit, 64}, 20, 20},
}};

}  // namespace

std::vector<std::string> ready_made_names() {
  std::vector<std::string> names;
  names.reserve(kEntries.size());
  for (const auto& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

Result<SimulatedTopology> ready_made(const std::string& name, const ReadyMadeOptions& options) {
  const auto* entry = std::find_if(kEntries.begin(), kEntries.end(),
                                   [&](const Entry& one) { return one.name == name; });
  if (entry == kEntries.end()) {
    std::string known;
    for (const auto& one : kEntries) known += (known.empty() ? "" : ", ") + std::string(one.name);
    return Error{ErrorKind::invalid_argument,
                 "there is no network '" + name + "'; there are " + known};
  }
  Size size = entry->size;
  if (options.hosts > 0) size.hosts = options.hosts;
  if (options.rate_mbit > 0) size.rate_bit_s = options.rate_mbit * kMbit;
  if (options.buffer_kib > 0) size.buffer_kib = options.buffer_kib;
  if (size.hosts < entry->least_hosts || size.hosts > entry->most_hosts) {
    return Error{ErrorKind::invalid_argument, name + " cannot have " + std::to_string(size.hosts) +
                                                  " hosts; give " +
                                                  std::to_string(entry->least_hosts) + " to " +
                                                  std::to_string(entry->most_hosts)};
  }
  SimulatedTopology topology = entry->make(size);
  topology.name = name;
  topology.token_buckets = true;
  sort_hosts(topology);
  return topology;
}

}  // namespace quadrille::probe
