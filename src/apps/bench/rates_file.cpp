// SPDX-License-Identifier: BSD-3-Clause
// Rates in Mbit/s (10^6 bit/s, frames as the link counts them) become bytes a second.
#include "apps/bench/rates_file.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace quadrille::bench {
namespace {

using nlohmann::json;

constexpr double kBytesPerMbit = 1e6 / 8;

// The first of `keys` that `object` has as a number, in bytes a second; 0 without.
double rate(const json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_number()) return found->get<double>() * kBytesPerMbit;
  }
  return 0;
}

std::optional<std::uint32_t> segment_named(const NetworkRates& network, const std::string& name) {
  for (std::uint32_t index = 0; index < network.segments.size(); ++index) {
    if (network.segments[index].name == name) return index;
  }
  return std::nullopt;
}

void add_segment(const json& entry, NetworkRates& network) {
  const auto index = static_cast<std::uint32_t>(network.segments.size());
  const double shared = rate(entry, {"rate_mbit"});
  const bool bus = entry.value("kind", "switch") == "bus";
  network.segments.push_back(
      {entry.value("name", "segment " + std::to_string(index)), bus ? shared : 0});
  for (const auto& host : entry.at("hosts")) {
    network.hosts.push_back({host.get<std::string>(), index, shared, shared});
  }
}

// Hosts' own links override what their segment says.
void refine_hosts(const json& hosts, NetworkRates& network) {
  for (const auto& entry : hosts) {
    const auto name = entry.value("name", "");
    const auto found = std::find_if(network.hosts.begin(), network.hosts.end(),
                                    [&](const auto& host) { return host.name == name; });
    if (found == network.hosts.end()) continue;
    if (const double in = rate(entry, {"to_host_mbit", "rate_mbit"}); in > 0)
      found->in_bytes_per_second = in;
    if (const double out = rate(entry, {"from_host_mbit", "rate_mbit"}); out > 0)
      found->out_bytes_per_second = out;
  }
}

Result<bool> add_trunk(const json& entry, NetworkRates& network) {
  const auto& ends = entry.at("between");
  const auto first = segment_named(network, ends.at(0).get<std::string>());
  const auto second = segment_named(network, ends.at(1).get<std::string>());
  if (!first || !second) {
    return Error{ErrorKind::invalid_argument,
                 "trunks: " + ends.dump() + " names a segment that is not there"};
  }
  network.trunks.push_back({ends.at(0).get<std::string>() + "-" + ends.at(1).get<std::string>(),
                            *first, *second, rate(entry, {"forward_mbit", "rate_mbit"}),
                            rate(entry, {"backward_mbit", "rate_mbit"})});
  return true;
}

}  // namespace

Result<NetworkRates> parse_rates(const json& file) {
  NetworkRates network;
  try {
    for (const auto& entry : file.at("segments")) add_segment(entry, network);
    if (file.contains("hosts")) refine_hosts(file.at("hosts"), network);
    if (file.contains("trunks")) {
      for (const auto& entry : file.at("trunks")) {
        if (const auto added = add_trunk(entry, network); !added.ok()) return added.error();
      }
    }
  } catch (const json::exception& error) {
    return Error{ErrorKind::invalid_argument, std::string("network file: ") + error.what()};
  }
  return network;
}

}  // namespace quadrille::bench
