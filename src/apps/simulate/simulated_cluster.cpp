// SPDX-License-Identifier: BSD-3-Clause
#include "apps/simulate/simulated_cluster.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "base/disjoint_sets.h"
#include "network/model/model_checks.h"
#include "network/network_costs.h"

namespace quadrille::simulate {
namespace {

// What is not known of a file's trunks holds nothing up.
constexpr double unlimited_bit_s = 1e13;

Error wrong(const std::string& what) { return {ErrorKind::invalid_argument, what}; }

Measured exactly(double value) { return {value, value, value}; }

// A value behind a name, and where it goes to.
struct Option {
  double least;
  double most;
  std::function<void(ClusterSettings&, double)> set;
};

const std::map<std::string_view, Option>& options() {
  static const std::map<std::string_view, Option> all{
      {"hosts", {2, 65'536, [](auto& to, double v) { to.hosts = static_cast<std::uint32_t>(v); }}},
      {"leaf", {1, 1024, [](auto& to, double v) { to.leaf = static_cast<std::uint32_t>(v); }}},
      {"spines", {1, 256, [](auto& to, double v) { to.spines = static_cast<std::uint32_t>(v); }}},
      {"over", {0.01, 1000, [](auto& to, double v) { to.over = v; }}},
      {"rate", {0.001, 1000, [](auto& to, double v) { to.rate_gbit = v; }}},
      {"buffer",
       {4, 1 << 20, [](auto& to, double v) { to.buffer_kib = static_cast<std::uint32_t>(v); }}},
      {"latency", {0, 1e6, [](auto& to, double v) { to.latency_us = v; }}},
      {"trunk", {0, 1e6, [](auto& to, double v) { to.trunk_us = v; }}},
      {"mtu", {576, 9216, [](auto& to, double v) { to.mtu = static_cast<std::uint32_t>(v); }}},
      {"multicast", {0, 1, [](auto& to, double v) { to.multicast = v != 0; }}}};
  return all;
}

std::string in_words(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

Result<ClusterSettings> settings_in(std::string_view text, const std::string& network) {
  ClusterSettings settings;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    const std::size_t equals = entry.find('=');
    const auto option = options().find(entry.substr(0, equals));
    if (equals == std::string_view::npos || option == options().end()) {
      std::string problem =
          "--network " + network + ": '" + std::string(entry) + "' is none of NAME=VALUE with";
      for (const auto& [name, unused] : options()) problem.append(" ").append(name);
      return wrong(problem);
    }
    const std::string_view digits = entry.substr(equals + 1);
    double value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const Option& found = option->second;
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() ||
        !(value >= found.least && value <= found.most))
      return wrong("--network " + network + ": " + std::string(entry) + " is not a number from " +
                   in_words(found.least) + " to " + in_words(found.most));
    found.set(settings, value);
  }
  return settings;
}

ModelHost host_of(const ClusterSettings& settings, std::size_t number, const std::string& segment) {
  ModelHost host;
  host.name = "h" + std::to_string(number);
  host.segment = segment;
  host.mtu_bytes = settings.mtu;
  host.from_host_bit_s = host.to_host_bit_s = exactly(settings.rate_gbit * 1e9);
  return host;
}

Segment segment_of(const ClusterSettings& settings, const std::string& name) {
  Segment segment;
  segment.name = name;
  segment.latency_ns = exactly(settings.latency_us * 1e3 + 2.0 * (usual_call_ns + usual_packet_ns));
  segment.safe_burst_bytes = segment.safe_burst_all_ports_bytes =
      exactly(settings.buffer_kib * 1024.0);
  segment.multicast = settings.multicast;
  return segment;
}

Cluster one_switch(const ClusterSettings& settings) {
  Cluster cluster{.model = {}, .ways = {}, .settings = settings, .is_named = true};
  Segment segment = segment_of(settings, "switch");
  for (std::size_t host = 0; host < settings.hosts; ++host) {
    cluster.model.hosts.push_back(host_of(settings, host, segment.name));
    segment.hosts.push_back(cluster.model.hosts.back().name);
  }
  cluster.model.segments.push_back(std::move(segment));
  return cluster;
}

Cluster leaf_spine(const ClusterSettings& settings) {
  Cluster cluster{.model = {}, .ways = {}, .settings = settings, .is_named = true};
  cluster.model.junctions.emplace_back("spine");
  for (std::size_t host = 0; host < settings.hosts; ++host) {
    const std::string leaf = "leaf" + std::to_string(host / settings.leaf);
    if (host % settings.leaf == 0) {
      cluster.model.segments.push_back(segment_of(settings, leaf));
      Trunk trunk;
      trunk.name = "up" + std::to_string(host / settings.leaf);
      trunk.first = leaf;
      trunk.second = "spine";
      const double rate = settings.rate_gbit * 1e9 * settings.leaf / settings.over;
      trunk.forward_bit_s = trunk.backward_bit_s = exactly(rate);
      trunk.forward_buffer_bytes = trunk.backward_buffer_bytes =
          exactly(settings.buffer_kib * 1024.0 * settings.spines);
      trunk.latency_ns = exactly(settings.trunk_us * 1e3);
      trunk.routes = settings.spines > 1 ? "several" : "one";
      cluster.model.trunks.push_back(std::move(trunk));
      cluster.ways.push_back(settings.spines);
    }
    cluster.model.hosts.push_back(host_of(settings, host, leaf));
    cluster.model.segments.back().hosts.push_back(cluster.model.hosts.back().name);
  }
  return cluster;
}

Result<Cluster> cluster_of_file(const std::string& path) {
  auto model = read_model(path);
  if (!model.ok()) return model.error();
  Cluster cluster{.model = std::move(model.value()), .ways = {}, .settings = {}};
  cluster.ways.assign(cluster.model.trunks.size(), 1);
  cluster.settings.mtu = 9216;
  for (const ModelHost& host : cluster.model.hosts)
    cluster.settings.mtu =
        std::min(cluster.settings.mtu, host.mtu_bytes == 0 ? 1500 : host.mtu_bytes);
  return cluster;
}

// What cannot be simulated, by the first place where it is.
std::optional<Error> not_simulated(const NetworkModel& model) {
  const auto is_zero = [](const MaybeMeasured& rate) { return rate && rate->value <= 0; };
  const auto zero = [](const std::string& place) {
    return wrong(place + ": 0 bit/s carries nothing; give a rate, or null where it is not known");
  };
  for (const ModelHost& host : model.hosts) {
    if (is_zero(host.from_host_bit_s)) return zero("from_host_bit_s of host " + host.name);
    if (is_zero(host.to_host_bit_s)) return zero("to_host_bit_s of host " + host.name);
  }
  for (const Trunk& trunk : model.trunks) {
    if (is_zero(trunk.forward_bit_s)) return zero("forward_bit_s of trunk " + trunk.name);
    if (is_zero(trunk.backward_bit_s)) return zero("backward_bit_s of trunk " + trunk.name);
  }
  for (const Segment& segment : model.segments) {
    if (segment.kind == SegmentKind::bus)
      return wrong("segment " + segment.name + " is a bus; only switches are simulated");
  }
  if (!model.islands.empty())
    return wrong("island " + model.islands.front().name +
                 " has a network of its own, which is not simulated");
  return std::nullopt;
}

double rate_of(const MaybeMeasured& bit_s, double unknown) {
  return bit_s ? bit_s->value : unknown;
}

std::size_t bytes_of(const MaybeMeasured& bytes, std::size_t unknown) {
  return bytes && std::isfinite(bytes->value) ? static_cast<std::size_t>(bytes->value) : unknown;
}

Nanoseconds time_of(const MaybeMeasured& ns, double unknown_us) {
  return {std::llround(ns ? ns->value : unknown_us * 1e3)};
}

// Switches by name, and what joins them. Those that no trunk joins meet in one more.
void add_trunks(const Cluster& cluster, wire::SimulatedSettings& into,
                std::map<std::string_view, std::uint32_t>& places) {
  const NetworkModel& model = cluster.model;
  const std::size_t buffer = cluster.settings.buffer_kib * std::size_t{1024};
  for (const Segment& segment : model.segments)
    places.emplace(segment.name, static_cast<std::uint32_t>(places.size()));
  for (const std::string& junction : model.junctions)
    places.emplace(junction, static_cast<std::uint32_t>(places.size()));
  into.switches = static_cast<std::uint32_t>(places.size());
  DisjointSets joined(places.size());
  for (std::size_t i = 0; i < model.trunks.size(); ++i) {
    const Trunk& trunk = model.trunks[i];
    const double ways = cluster.ways[i];
    into.trunks.push_back(
        {.first = places.at(trunk.first),
         .second = places.at(trunk.second),
         .ways = cluster.ways[i],
         .forward_bit_s = rate_of(trunk.forward_bit_s, unlimited_bit_s) / ways,
         .backward_bit_s = rate_of(trunk.backward_bit_s, unlimited_bit_s) / ways,
         .forward_buffer_bytes = bytes_of(trunk.forward_buffer_bytes, buffer) / cluster.ways[i],
         .backward_buffer_bytes = bytes_of(trunk.backward_buffer_bytes, buffer) / cluster.ways[i],
         .latency = time_of(trunk.latency_ns, cluster.settings.trunk_us)});
    joined.join(places.at(trunk.first), places.at(trunk.second));
  }
  std::vector<std::uint32_t> apart;
  for (std::uint32_t place = 0; place < into.switches; ++place) {
    if (joined.representative(place) == place) apart.push_back(place);
  }
  if (apart.size() < 2) return;
  for (const std::uint32_t place : apart)
    into.trunks.push_back({.first = place,
                           .second = into.switches,
                           .forward_bit_s = unlimited_bit_s,
                           .backward_bit_s = unlimited_bit_s,
                           .forward_buffer_bytes = ~std::size_t{0} / 2,
                           .backward_buffer_bytes = ~std::size_t{0} / 2});
  ++into.switches;
}

}  // namespace

Result<Cluster> cluster_of(const std::string& network, std::uint32_t hosts) {
  const std::string_view text = network;
  const std::string_view name = text.substr(0, text.find(':'));
  if (name != "switch" && name != "leaf-spine") return cluster_of_file(network);
  auto settings = settings_in(text.substr(std::min(text.size(), name.size() + 1)), network);
  if (!settings.ok()) return settings.error();
  if (settings.value().hosts == 0) settings.value().hosts = hosts;
  return name == "switch" ? one_switch(settings.value()) : leaf_spine(settings.value());
}

Result<wire::SimulatedSettings> ports_of(const Cluster& cluster,
                                         const std::vector<std::uint32_t>& hosts,
                                         const wire::SimulatedProcessor& processor) {
  if (const auto error = not_simulated(cluster.model)) return *error;
  wire::SimulatedSettings settings;
  settings.processor = processor;
  settings.latency = {0};
  std::map<std::string_view, std::uint32_t> places;
  add_trunks(cluster, settings, places);
  const std::size_t buffer = cluster.settings.buffer_kib * std::size_t{1024};
  constexpr double usual_bit_s = 8e12 / CostDefaults::ps_per_byte;
  const Nanoseconds of_processors = processor.send_call + processor.send_packet +
                                    processor.receive_call + processor.receive_packet;
  for (const Segment& segment : cluster.model.segments) {
    const Nanoseconds all = time_of(segment.latency_ns, cluster.settings.latency_us);
    settings.latency = std::max(settings.latency, all - of_processors);
  }
  if (cluster.is_named) settings.latency = time_of(std::nullopt, cluster.settings.latency_us);
  for (const std::uint32_t index : hosts) {
    const ModelHost& host = cluster.model.hosts[index];
    wire::SimulatedHost own{.out_bit_s = rate_of(host.from_host_bit_s, usual_bit_s),
                            .in_bit_s = rate_of(host.to_host_bit_s, usual_bit_s),
                            .buffer_bytes = buffer,
                            .at_switch = 0,
                            .endpoint = {}};
    const auto place = places.find(host.segment);
    if (place != places.end()) own.at_switch = place->second;
    for (const Segment& segment : cluster.model.segments) {
      if (segment.name == host.segment)
        own.buffer_bytes = bytes_of(segment.safe_burst_all_ports_bytes,
                                    bytes_of(segment.safe_burst_bytes, buffer));
    }
    settings.hosts.push_back(own);
  }
  return settings;
}

}  // namespace quadrille::simulate
