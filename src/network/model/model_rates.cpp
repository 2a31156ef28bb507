// SPDX-License-Identifier: BSD-3-Clause
#include "network/model/model_rates.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quadrille {
namespace {

double bytes_per_second(const MaybeMeasured& bit_s) {
  return bit_s && std::isfinite(bit_s->high) ? bit_s->value / 8 : 0;
}

// 0, unknown, where one is.
double together(const std::vector<NetworkRates::Host>& hosts, double NetworkRates::Host::*rate) {
  double sum = 0;
  for (const auto& host : hosts) {
    if (host.*rate <= 0) return 0;
    sum += host.*rate;
  }
  return sum;
}

// Any of its hosts may send and receive for all of them. Where they are in several segments, none
// of these and no trunk between them has to carry what the island does: it gets a place of its own,
// which unlimited trunks join to them.
void add_island(const std::string& name, const std::vector<NetworkRates::Host>& members,
                NetworkRates& rates) {
  if (members.empty()) return;
  NetworkRates::Host island = members.front();
  island.name = "island " + name;
  std::set<std::uint32_t> segments;
  for (const auto& host : members) {
    island.members.push_back(host.name);
    segments.insert(host.segment);
  }
  island.out_bytes_per_second = together(members, &NetworkRates::Host::out_bytes_per_second);
  island.in_bytes_per_second = together(members, &NetworkRates::Host::in_bytes_per_second);
  if (segments.size() > 1) {
    island.segment = static_cast<std::uint32_t>(rates.segments.size());
    rates.segments.push_back({island.name, 0});
    for (const std::uint32_t segment : segments)
      rates.trunks.push_back({island.name, island.segment, segment, 0, 0});
  }
  rates.hosts.push_back(std::move(island));
}

std::map<std::string_view, std::uint32_t> places_of(const NetworkModel& model) {
  std::map<std::string_view, std::uint32_t> places;
  for (const auto& segment : model.segments)
    places.emplace(segment.name, static_cast<std::uint32_t>(places.size()));
  for (const auto& junction : model.junctions)
    places.emplace(junction, static_cast<std::uint32_t>(places.size()));
  return places;
}

}  // namespace

NetworkRates segment_rates_of(const NetworkModel& model) {
  NetworkRates rates;
  for (const auto& segment : model.segments) {
    const bool bus = segment.kind == SegmentKind::bus;
    rates.segments.push_back({segment.name, bus ? bytes_per_second(segment.bus_rate_bit_s) : 0});
    if (segment.latency_ns &&
        (rates.latency_ns == 0 || segment.latency_ns->value < rates.latency_ns))
      rates.latency_ns = segment.latency_ns->value;
  }
  for (const auto& junction : model.junctions) rates.segments.push_back({junction, 0});
  const auto place = places_of(model);
  for (const auto& trunk : model.trunks) {
    rates.trunks.push_back({trunk.name, place.at(trunk.first), place.at(trunk.second),
                            bytes_per_second(trunk.forward_bit_s),
                            bytes_per_second(trunk.backward_bit_s)});
  }
  return rates;
}

NetworkRates rates_of(const NetworkModel& model) {
  NetworkRates rates = segment_rates_of(model);
  const auto place = places_of(model);
  const auto island_of = islands_of(model);
  std::vector<std::vector<NetworkRates::Host>> on_island(model.islands.size());
  for (std::size_t i = 0; i < model.hosts.size(); ++i) {
    const auto& host = model.hosts[i];
    if (host.segment.empty()) continue;
    auto& list = island_of[i] ? on_island[*island_of[i]] : rates.hosts;
    list.push_back({host.name, place.at(host.segment), bytes_per_second(host.from_host_bit_s),
                    bytes_per_second(host.to_host_bit_s)});
  }
  for (std::size_t i = 0; i < on_island.size(); ++i)
    add_island(model.islands[i].name, on_island[i], rates);
  return rates;
}

}  // namespace quadrille
