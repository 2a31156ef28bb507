// SPDX-License-Identifier: BSD-3-Clause
// Draws shape, sizes, rates and buffers, then the order of hosts.
#include "probe/simulated/topologies/random_topology.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "probe/simulated/chance.h"
#include "probe/simulated/saturation.h"

namespace quadrille::probe {
namespace {

// A trunk carries this much of what the hosts behind it can send.
constexpr double kThinnestTrunk = 0.35;
constexpr double kThickestTrunk = 0.8;
constexpr std::array<double, 4> kRates{10e6, 25e6, 50e6, 100e6};
constexpr std::array<double, 4> kBuffersKib{16, 32, 64, 128};

class Drawing {
 public:
  Drawing(std::uint64_t seed, const RandomOptions& options) : chance_(seed), options_(options) {
    rate_ = kRates[chance_.number(0, kRates.size() - 1)];
    buffer_kib_ = kBuffersKib[chance_.number(0, kBuffersKib.size() - 1)];
  }

  void three_levels() {
    const auto core = add_switch("core");
    const auto spines = chance_.number(2, 3);
    for (std::uint32_t spine = 0; spine < spines; ++spine) {
      const auto middle = add_switch("spine" + std::to_string(spine));
      topology_.add_trunk(core, middle);
      const auto leaves = chance_.number(2, 3);
      for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) add_leaf(middle);
      if (chance_.happens(0.2)) add_some_hosts(middle);
    }
  }

  void unequal_leaves() {
    const auto core = add_switch("core");
    const auto leaves = chance_.number(2, 5);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) add_leaf(core);
    if (chance_.happens(0.5)) add_some_hosts(core);
  }

  void two_switches() {
    const auto one = add_switch("s0");
    add_some_hosts(one);
    add_leaf(one);
  }

  void bus_behind_switches() {
    const auto one = add_switch("s0");
    add_some_hosts(one);
    const auto other = add_switch("s1");
    topology_.add_trunk(one, other);
    if (chance_.happens(0.5)) add_some_hosts(other);
    add_bus(other);
  }

  void groups_of_three() {
    const auto inner = add_switch("inner");
    const auto groups = chance_.number(3, 5);
    for (std::uint32_t group = 0; group < groups; ++group) {
      const auto node = add_switch("group" + std::to_string(group));
      topology_.add_trunk(inner, node);
      topology_.add_hosts(node, 3);
    }
    if (chance_.happens(0.5)) add_some_hosts(inner);
  }

  void buses_around_bridge() {
    const auto bridge = add_switch("bridge");
    const auto buses = chance_.number(2, 4);
    for (std::uint32_t bus = 0; bus < buses; ++bus) add_bus(bridge);
    if (chance_.happens(0.4)) add_leaf(bridge);
  }

  void mixed() {
    const auto core = add_switch("core");
    add_some_hosts(core);
    add_bus(core);
    add_leaf(core);
    const auto middle = add_switch("middle");
    topology_.add_trunk(core, middle);
    add_leaf(middle);
    add_leaf(middle);
    if (chance_.happens(0.5)) add_bus(middle);
  }

  SimulatedTopology finish() {
    if (chance_.happens(options_.slow_host)) slow_down(true, true);
    if (chance_.happens(options_.one_directional)) {
      const bool out = chance_.happens(0.5);
      slow_down(out, !out);
    }
    draw_trunk_rates();
    topology_.token_buckets = chance_.happens(0.5);
    shuffle_hosts(topology_, chance_.bits());
    return std::move(topology_);
  }

 private:
  NodeIndex add_switch(const std::string& name) {
    return topology_.add_switch(name, rate_, buffer_kib_);
  }
  void add_some_hosts(NodeIndex node) {
    topology_.add_hosts(node, chance_.number(2, std::max(2U, options_.most_hosts_in_segment)));
  }
  void add_leaf(NodeIndex above) {
    const auto leaf = add_switch("leaf" + std::to_string(topology_.nodes.size()));
    topology_.add_trunk(above, leaf);
    add_some_hosts(leaf);
  }
  void add_bus(NodeIndex above) {
    const auto bus = topology_.add_bus("bus" + std::to_string(topology_.nodes.size()), rate_);
    topology_.add_trunk(above, bus);
    add_some_hosts(bus);
  }

  // One host of those on switches; on a bus all have the bus's rate.
  void slow_down(bool out, bool in) {
    std::vector<std::uint32_t> on_switches;
    for (std::uint32_t host = 0; host < topology_.hosts.size(); ++host) {
      if (!topology_.nodes[topology_.hosts[host].node].bus) on_switches.push_back(host);
    }
    if (on_switches.empty()) return;
    const auto chosen = chance_.number(0, static_cast<std::uint32_t>(on_switches.size() - 1));
    SimulatedHost& host = topology_.hosts[on_switches[chosen]];
    const double share = chance_.between(0.2, 0.5);
    if (out) host.out_bit_s = rate_ * share;
    if (in) host.in_bit_s = rate_ * share;
  }

  // From the leaves upwards: trunks were added from the top, each to the node below.
  void draw_trunk_rates() {
    for (auto& trunk : topology_.trunks) {
      if (!topology_.nodes[trunk.second].bus) trunk.forward_bit_s = trunk.backward_bit_s = 0;
    }
    for (std::size_t left = topology_.trunks.size(); left > 0; --left) {
      SimulatedTrunk& trunk = topology_.trunks[left - 1];
      if (topology_.nodes[trunk.second].bus) continue;
      const TrunkOffers offers = trunk_offers(topology_)[left - 1];
      const double offered = std::min(offers.forward_bit_s, offers.backward_bit_s);
      trunk.forward_bit_s = trunk.backward_bit_s =
          offered * chance_.between(kThinnestTrunk, kThickestTrunk);
    }
    make_saturable(topology_, kLeastOversubscription);
  }

  Chance chance_;
  RandomOptions options_;
  SimulatedTopology topology_;
  double rate_ = 0;
  double buffer_kib_ = 0;
};

struct Shape {
  std::string_view name;
  void (Drawing::*draw)();
};

constexpr std::array<Shape, 7> kShapes{{{"three_levels", &Drawing::three_levels},
                                        {"unequal_leaves", &Drawing::unequal_leaves},
                                        {"two_switches", &Drawing::two_switches},
                                        {"bus_behind_switches", &Drawing::bus_behind_switches},
                                        {"groups_of_three", &Drawing::groups_of_three},
                                        {"buses_around_bridge", &Drawing::buses_around_bridge},
                                        {"mixed", &Drawing::mixed}}};

}  // namespace

std::vector<std::string> random_shapes() {
  std::vector<std::string> names;
  names.reserve(kShapes.size());
  for (const auto& shape : kShapes) names.emplace_back(shape.name);
  return names;
}

SimulatedTopology random_topology(std::uint64_t seed, const RandomOptions& options) {
  Chance choice(seed ^ 0x5851F42D4C957F2DU);
  const auto* shape = &kShapes[choice.number(0, kShapes.size() - 1)];
  if (!options.shape.empty()) {
    shape = std::find_if(kShapes.begin(), kShapes.end(),
                         [&](const Shape& one) { return one.name == options.shape; });
    assert(shape != kShapes.end());
  }
  Drawing drawing(seed, options);
  (drawing.*shape->draw)();
  SimulatedTopology topology = drawing.finish();
  topology.name = std::string(shape->name) + "/" + std::to_string(seed);
  return topology;
}

}  // namespace quadrille::probe
