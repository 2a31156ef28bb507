// SPDX-License-Identifier: BSD-3-Clause
// Rates in bit/s of frames, as the link counts them, become bytes a second.
#include "apps/bench/rates_file.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace quadrille::bench {
namespace {

using nlohmann::json;

// The first of `keys` that `object` has as a number, in bytes a second; 0 without.
double rate(const json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_number()) return found->get<double>() / 8;
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
  network.segments.push_back(
      {entry.value("name", "segment " + std::to_string(index)), rate(entry, {"bus_rate_bit_s"})});
  for (const auto& host : entry.at("hosts")) {
    network.hosts.push_back({host.get<std::string>(), index, 0, 0});
  }
}

void add_host_rates(const json& entry, NetworkRates& network) {
  const auto name = entry.value("name", "");
  const auto found = std::find_if(network.hosts.begin(), network.hosts.end(),
                                  [&](const auto& host) { return host.name == name; });
  if (found == network.hosts.end()) return;
  found->in_bytes_per_second = rate(entry, {"to_host_bit_s", "rate_bit_s"});
  found->out_bytes_per_second = rate(entry, {"from_host_bit_s", "rate_bit_s"});
}

Result<bool> add_trunk(const json& entry, NetworkRates& network) {
  const auto& ends = entry.at("between");
  const auto first = segment_named(network, ends.at(0).get<std::string>());
  const auto second = segment_named(network, ends.at(1).get<std::string>());
  if (!first || !second) {
    return Error{ErrorKind::invalid_argument,
                 "trunks: " + ends.dump() + " names a segment that is not there"};
  }
  network.trunks.push_back({entry.value("name", ends.dump()), *first, *second,
                            rate(entry, {"forward_rate_bit_s", "rate_bit_s"}),
                            rate(entry, {"backward_rate_bit_s", "rate_bit_s"})});
  return true;
}

}  // namespace

Result<NetworkRates> parse_lab_rates(const json& statement) {
  NetworkRates network;
  try {
    // Not `segments`, which are only those with hosts: trunks may also join switches that have
    // none.
    for (const auto& entry : statement.at("bridges")) add_segment(entry, network);
    for (const auto& entry : statement.value("hosts", json::array()))
      add_host_rates(entry, network);
    for (const auto& entry : statement.value("trunks", json::array())) {
      if (const auto added = add_trunk(entry, network); !added.ok()) return added.error();
    }
  } catch (const json::exception& error) {
    return Error{ErrorKind::invalid_argument, std::string("the lab's statement: ") + error.what()};
  }
  return network;
}

}  // namespace quadrille::bench
