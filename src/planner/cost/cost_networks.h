// SPDX-License-Identifier: BSD-3-Clause
// Test support: models of small networks, known and random, and the whole call of an algorithm on
// one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "network/model/model.h"
#include "network/network_costs.h"
#include "planner/candidate.h"
#include "planner/known_network.h"

namespace quadrille {

inline MaybeMeasured exactly(double value) { return Measured{value, value, value}; }

// Puts host "hN" at `rate_bit_s` both ways on the model's segment `segment`.
inline void add_host(NetworkModel& model, std::size_t segment, double rate_bit_s) {
  ModelHost host;
  host.name = "h" + std::to_string(model.hosts.size());
  host.segment = model.segments[segment].name;
  host.from_host_bit_s = host.to_host_bit_s = exactly(rate_bit_s);
  model.segments[segment].hosts.push_back(host.name);
  model.hosts.push_back(host);
}

inline void add_segment(NetworkModel& model, SegmentKind kind, double bus_bit_s) {
  Segment segment;
  segment.name = "s" + std::to_string(model.segments.size());
  segment.kind = kind;
  if (kind == SegmentKind::bus) segment.bus_rate_bit_s = exactly(bus_bit_s);
  model.segments.push_back(segment);
}

inline void add_trunk(NetworkModel& model, const std::string& first, const std::string& second,
                      double bit_s) {
  Trunk trunk;
  trunk.name = first + "-" + second;
  trunk.first = first;
  trunk.second = second;
  trunk.forward_bit_s = trunk.backward_bit_s = exactly(bit_s);
  model.trunks.push_back(trunk);
}

inline NetworkModel one_switch(std::size_t hosts, double rate_bit_s) {
  NetworkModel model;
  add_segment(model, SegmentKind::switched, 0);
  for (std::size_t host = 0; host < hosts; ++host) add_host(model, 0, rate_bit_s);
  return model;
}

// Hosts in turn on two switches, one trunk.
inline NetworkModel two_switches(std::size_t hosts, double rate_bit_s, double trunk_bit_s) {
  NetworkModel model;
  for (int i = 0; i < 2; ++i) add_segment(model, SegmentKind::switched, 0);
  for (std::size_t host = 0; host < hosts; ++host) add_host(model, host % 2, rate_bit_s);
  add_trunk(model, "s0", "s1", trunk_bit_s);
  return model;
}

// Eight hosts in turn on three buses that meet in a junction, all of 10 Mbit/s.
inline NetworkModel three_buses() {
  NetworkModel model;
  for (int i = 0; i < 3; ++i) add_segment(model, SegmentKind::bus, 10e6);
  for (std::size_t host = 0; host < 8; ++host) add_host(model, host % 3, 10e6);
  model.junctions.push_back("j");
  for (const char* segment : {"s0", "s1", "s2"}) add_trunk(model, segment, "j", 10e6);
  return model;
}

// One to four segments, buses among them, in a tree of trunks, and hosts of uneven rates.
inline NetworkModel random_network(std::mt19937& random, std::size_t hosts) {
  constexpr double rates_bit_s[] = {10e6, 25e6, 100e6, 1e9};
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  NetworkModel model;
  const std::size_t segments = 1 + below(4);
  for (std::size_t i = 0; i < segments; ++i) {
    add_segment(model, below(3) == 0 ? SegmentKind::bus : SegmentKind::switched,
                rates_bit_s[below(4)]);
    model.segments.back().latency_ns = exactly(static_cast<double>(1000 * (1 + below(100))));
    if (i > 0)
      add_trunk(model, model.segments[below(i)].name, model.segments[i].name,
                rates_bit_s[below(4)]);
  }
  for (std::size_t host = 0; host < hosts; ++host)
    add_host(model, below(segments), rates_bit_s[below(4)]);
  return model;
}

// Joins random hosts by one or two islands. REQUIRES: five hosts at least.
inline NetworkModel with_random_islands(NetworkModel model, std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  std::vector<std::string> hosts;
  for (const ModelHost& host : model.hosts) hosts.push_back(host.name);
  std::ranges::shuffle(hosts, random);
  for (std::size_t i = 0; i < 1 + below(2); ++i) {
    Island island{.name = "i" + std::to_string(i),
                  .hosts = {},
                  .rate_bit_s = exactly(10e9),
                  .latency_ns = {}};
    for (std::size_t size = 2 + below(hosts.size() / 2 - 1); size-- > 0; hosts.pop_back())
      island.hosts.push_back(hosts.back());
    model.islands.push_back(island);
    if (hosts.size() < 4) break;
  }
  return model;
}

// Rank i on host i.
inline std::vector<std::uint32_t> one_rank_a_host(const NetworkModel& model) {
  std::vector<std::uint32_t> hosts(model.hosts.size());
  std::iota(hosts.begin(), hosts.end(), 0U);
  return hosts;
}

// What a communicator with one rank on each of the model's hosts knows.
inline KnownNetwork known_to_every_host(const NetworkModel& model) {
  std::vector<std::string> names;
  for (const ModelHost& host : model.hosts) names.push_back(host.name);
  const auto hosts = one_rank_a_host(model);
  return known_network(model, view_of(model, names, hosts).value(), hosts);
}

inline std::vector<Schedule> schedules_of(const Algorithm& algorithm, const Shape& shape,
                                          const std::string& parameters = "") {
  const Candidate candidate =
      candidate_of(algorithm, algorithm.parameters.with(parameters).value());
  constexpr auto no_bound = std::numeric_limits<std::uint64_t>::max();
  return *schedules_within(candidate, shape, TopologyView::flat(shape.ranks), no_bound);
}

}  // namespace quadrille
