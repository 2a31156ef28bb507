// SPDX-License-Identifier: BSD-3-Clause
#include "network/model_rates.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>

namespace quadrille {
namespace {

double bytes_per_second(const MaybeMeasured& bit_s) {
  return bit_s && std::isfinite(bit_s->high) ? bit_s->value / 8 : 0;
}

}  // namespace

NetworkRates rates_of(const NetworkModel& model) {
  NetworkRates rates;
  std::map<std::string_view, std::uint32_t> index_of;
  const auto add_place = [&](const std::string& name, double bus_bytes_per_second) {
    index_of.emplace(name, static_cast<std::uint32_t>(rates.segments.size()));
    rates.segments.push_back({name, bus_bytes_per_second});
  };
  for (const auto& segment : model.segments) {
    const bool bus = segment.kind == SegmentKind::bus;
    add_place(segment.name, bus ? bytes_per_second(segment.bus_rate_bit_s) : 0);
    if (segment.latency_ns &&
        (rates.latency_ns == 0 || segment.latency_ns->value < rates.latency_ns))
      rates.latency_ns = segment.latency_ns->value;
  }
  for (const auto& junction : model.junctions) add_place(junction, 0);
  for (const auto& host : model.hosts) {
    if (host.segment.empty()) continue;
    rates.hosts.push_back({host.name, index_of.at(host.segment),
                           bytes_per_second(host.from_host_bit_s),
                           bytes_per_second(host.to_host_bit_s)});
  }
  for (const auto& trunk : model.trunks) {
    rates.trunks.push_back({trunk.name, index_of.at(trunk.first), index_of.at(trunk.second),
                            bytes_per_second(trunk.forward_bit_s),
                            bytes_per_second(trunk.backward_bit_s)});
  }
  return rates;
}

}  // namespace quadrille
