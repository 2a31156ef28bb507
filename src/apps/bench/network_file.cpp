// SPDX-License-Identifier: BSD-3-Clause
// An emulated link counts frames without preamble, check sequence and gap; a cable carries those
// too.
#include "apps/bench/network_file.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "apps/bench/rates_file.h"

namespace quadrille::bench {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

NetworkFile locate(const std::string& path) {
  NetworkFile network;
  if (!path.empty()) {
    network.source = "file";
    network.path = path;
  } else if (const auto lab = variable("QUADRILLE_LAB_INFO"); !lab.empty()) {
    network.source = "lab";
    network.path = lab;
  } else if (const auto model = variable("QUADRILLE_MODEL"); !model.empty()) {
    network.source = "model";
    network.path = model;
  }
  return network;
}

}  // namespace

NetworkFile read_network_file(const std::string& path) {
  NetworkFile network = locate(path);
  if (network.source.empty()) return network;
  std::ifstream file(network.path);
  network.contents = nlohmann::json::parse(file, nullptr, false);
  if (network.contents.is_discarded()) {
    network.contents = nullptr;
    network.complaint = network.path + ": cannot be read as JSON";
    return network;
  }
  auto rates = parse_rates(network.contents);
  if (rates.ok()) {
    network.rates = std::move(rates.value());
  } else {
    network.complaint = network.path + ": " + rates.error().message;
  }
  return network;
}

std::optional<PointBound> bound_of(const NetworkFile& network, const std::string& collective,
                                   std::uint64_t bytes, Rank root,
                                   const std::vector<std::string>& host_of_rank) {
  const auto operation = bounded_operation_named(collective);
  if (!network.rates || !operation) return std::nullopt;
  BoundedCall call{.operation = *operation, .bytes = bytes, .root = root, .host_of_rank = {}};
  const auto& hosts = network.rates->hosts;
  for (const auto& name : host_of_rank) {
    const auto found = std::find_if(hosts.begin(), hosts.end(),
                                    [&](const auto& host) { return host.name == name; });
    if (found == hosts.end()) return std::nullopt;
    call.host_of_rank.push_back(static_cast<std::uint32_t>(found - hosts.begin()));
  }
  const bool emulated = network.source == "lab";
  return PointBound{
      .payload = lower_bound(call, *network.rates, kPayloadOnly),
      .framed = lower_bound(call, *network.rates, emulated ? kTcpFrames : kTcpSlots),
      .framing = emulated ? "TCP over Ethernet as the emulated link counts: 1448 of 1514 bytes"
                          : "TCP over Ethernet on a cable: 1448 of 1538 bytes",
      .source = network.source};
}

}  // namespace quadrille::bench
