// SPDX-License-Identifier: BSD-3-Clause
// An emulated link counts frames without preamble, check sequence and gap; a cable carries those
// too.
#include "apps/bench/network_file.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "apps/bench/rates_file.h"
#include "network/model/model.h"
#include "network/model/model_rates.h"

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

// The lab's statement is known by its bridges; all else has to be a network model.
Result<NetworkRates> rates_in(const std::string& text) {
  const auto contents = nlohmann::json::parse(text, nullptr, false);
  if (contents.is_object() && contents.contains("bridges")) return parse_lab_rates(contents);
  const auto model = parse_model(text);
  if (!model.ok()) return model.error();
  return rates_of(model.value());
}

}  // namespace

NetworkFile read_network_file(const std::string& path) {
  NetworkFile network = locate(path);
  if (network.source.empty()) return network;
  std::ifstream file(network.path, std::ios::binary);
  if (!file) {
    network.complaint = network.path + ": cannot be read";
    return network;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto rates = rates_in(text);
  if (!rates.ok()) {
    network.complaint = network.path + ": " + rates.error().message;
    return network;
  }
  network.rates = std::move(rates.value());
  network.contents = nlohmann::json::parse(text);
  return network;
}

std::optional<PointBound> bound_of(const NetworkFile& network, const std::string& collective,
                                   std::uint64_t bytes, Rank root,
                                   const std::vector<std::string>& host_of_rank,
                                   const std::function<std::uint64_t(Rank, Rank)>& block_bytes) {
  const auto named = collective_named(collective);
  if (!network.rates || !named || (has_counts(*named) && !block_bytes)) return std::nullopt;
  auto hosts = host_indices(*network.rates, host_of_rank);
  if (!hosts) return std::nullopt;
  const BoundedCall call{.collective = *named,
                         .bytes = bytes,
                         .root = root,
                         .host_of_rank = std::move(*hosts),
                         .block_bytes = block_bytes};
  const bool emulated = network.source == "lab";
  return PointBound{
      .payload = lower_bound(call, *network.rates, kPayloadOnly),
      .framed = lower_bound(call, *network.rates, emulated ? kTcpFrames : kTcpSlots),
      .framing = emulated ? "TCP over Ethernet as the emulated link counts: 1448 of 1514 bytes"
                          : "TCP over Ethernet on a cable: 1448 of 1538 bytes",
      .source = network.source};
}

}  // namespace quadrille::bench
