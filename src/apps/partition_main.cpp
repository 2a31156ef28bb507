// SPDX-License-Identifier: BSD-3-Clause
// quadrille-partition: reads round trips between pairs of hosts and prints the subnets that the
// 20 % rule makes of them, by the least, mean, median or longest of each pair's.
//
// Input, as `quadrille probe --samples` writes it:
//   {"hosts": ["h0", ...],
//    "pairs": [{"from": "h0", "to": "h1", "there_bytes": 16000, "back_bytes": 16000,
//               "round_trips_ns": [...]}, ...]}
// `from` and `to` are names or positions in `hosts`. Several entries of a pair count together.
// Exit codes: 0 done, 1 the samples cannot be read, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/exit_codes.h"
#include "apps/parse_options.h"
#include "base/error.h"
#include "probe/latency/eco_partition.h"

namespace quadrille {
namespace {

using nlohmann::json;
using probe::HostIndex;

constexpr std::array<std::string_view, 4> kStatistics{"minimum", "mean", "median", "maximum"};

using Size = std::pair<std::uint32_t, std::uint32_t>;  // bytes there, bytes back
using PairSamples = std::map<std::pair<HostIndex, HostIndex>, std::vector<double>>;

struct Samples {
  std::vector<std::string> hosts;
  std::map<Size, PairSamples> by_size;
};

Error complaint(const std::string& place, const std::string& what) {
  return {ErrorKind::invalid_argument, place + ": " + what};
}

std::optional<HostIndex> host_in(const Samples& samples, const json& value) {
  if (value.is_number_unsigned()) {
    const auto position = value.get<std::uint64_t>();
    if (position < samples.hosts.size()) return static_cast<HostIndex>(position);
  }
  if (value.is_string()) {
    const auto found = std::ranges::find(samples.hosts, value.get<std::string>());
    if (found != samples.hosts.end()) {
      return static_cast<HostIndex>(found - samples.hosts.begin());
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> bytes_in(const json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto bytes = found->get<std::uint64_t>();
  if (bytes > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(bytes);
}

// What is wrong with the entry, or nothing after adding it.
std::optional<Error> add_pair(Samples& samples, const json& entry, const std::string& place) {
  if (!entry.is_object()) return complaint(place, "expected an object");
  std::array<HostIndex, 2> ends{};
  for (std::size_t end = 0; end < ends.size(); ++end) {
    const std::string key = end == 0 ? "from" : "to";
    const json value = entry.value(key, json());
    const auto host = host_in(samples, value);
    if (!host) {
      return complaint(place, "expected one of `hosts` as " + key + ", found " + value.dump());
    }
    ends[end] = *host;
  }
  if (ends[0] == ends[1]) return complaint(place, "a pair of one host, " + samples.hosts[ends[0]]);
  const auto there = bytes_in(entry, "there_bytes");
  const auto back = bytes_in(entry, "back_bytes");
  if (!there || !back) return complaint(place, "expected sizes as there_bytes and back_bytes");
  const auto times = entry.find("round_trips_ns");
  if (times == entry.end() || !times->is_array()) {
    return complaint(place + ".round_trips_ns", "expected a list of times");
  }
  const auto [least, most] = std::minmax(ends[0], ends[1]);
  auto& trips = samples.by_size[{*there, *back}][{least, most}];
  for (const json& time : *times) {
    if (!time.is_number() || time.get<double>() <= 0) {
      return complaint(place + ".round_trips_ns", "expected times above 0, found " + time.dump());
    }
    trips.push_back(time.get<double>());
  }
  return std::nullopt;
}

Result<Samples> parse(const json& document) {
  if (document.is_discarded()) return complaint("samples", "not valid JSON (truncated?)");
  if (!document.is_object()) return complaint("samples", "expected an object");
  const auto hosts = document.find("hosts");
  if (hosts == document.end() || !hosts->is_array() || hosts->empty()) {
    return complaint("hosts", "expected a list of at least one host name");
  }
  Samples samples;
  for (const json& host : *hosts) {
    if (!host.is_string()) return complaint("hosts", "expected host names, found " + host.dump());
    samples.hosts.push_back(host.get<std::string>());
  }
  const auto pairs = document.find("pairs");
  if (pairs == document.end() || !pairs->is_array()) return complaint("pairs", "expected a list");
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    const auto wrong = add_pair(samples, (*pairs)[i], "pairs[" + std::to_string(i) + "]");
    if (wrong) return *wrong;
  }
  return samples;
}

// The size to judge by: the one asked for, or that of most pairs, of these the longest messages.
Result<Size> chosen_size(const Samples& samples, std::optional<std::uint32_t> asked) {
  std::optional<Size> best;
  std::size_t most_pairs = 0;
  std::string known;
  for (const auto& [size, pairs] : samples.by_size) {
    known += (known.empty() ? "" : ", ") + std::to_string(size.first) + "/" +
             std::to_string(size.second);
    if (asked ? size.first != *asked : size.first != size.second) continue;
    if (pairs.size() < most_pairs) continue;
    best = size;
    most_pairs = pairs.size();
  }
  if (best) return *best;
  return complaint("pairs", (asked ? "no message of " + std::to_string(*asked) + " bytes"
                                   : std::string("no size that was sent both ways")) +
                                "; there are " + (known.empty() ? "none" : known) +
                                " (bytes there/back), choose with --bytes");
}

// REQUIRES: trips is not empty.
double statistic_of(std::vector<double> trips, std::string_view statistic) {
  std::ranges::sort(trips);
  if (statistic == "minimum") return trips.front();
  if (statistic == "maximum") return trips.back();
  const std::size_t middle = trips.size() / 2;
  if (statistic == "median") {
    return trips.size() % 2 == 1 ? trips[middle] : (trips[middle - 1] + trips[middle]) / 2;
  }
  return std::accumulate(trips.begin(), trips.end(), 0.0) / static_cast<double>(trips.size());
}

json subnets_by(const Samples& samples, const PairSamples& pairs, std::string_view statistic,
                double cutoff) {
  probe::PairTable<double> cost(samples.hosts.size());
  for (const auto& [pair, trips] : pairs) {
    // Half a round trip is the message's time, as in the paper's section 3.
    if (!trips.empty()) cost.at(pair.first, pair.second) = statistic_of(trips, statistic) / 2;
  }
  const auto subnet_of = probe::eco_partition(cost, cutoff);
  json subnets = json::array();
  for (HostIndex host = 0; host < subnet_of.size(); ++host) {
    if (subnet_of[host] == subnets.size()) subnets.push_back(json::array());
    subnets[subnet_of[host]].push_back(samples.hosts[host]);
  }
  return subnets;
}

struct PartitionRequest {
  std::string file;
  std::string statistic = "all";
  double cutoff = probe::kEcoCutoff;
  std::optional<std::uint32_t> bytes;
};

int run(const PartitionRequest& request) {
  std::ifstream file(request.file);
  if (!file) {
    std::cerr << "quadrille-partition: cannot read " << request.file
              << "; write it with `quadrille probe --samples`\n";
    return exit_code::failed;
  }
  const auto samples = parse(json::parse(file, nullptr, false));
  const auto size = samples.ok() ? chosen_size(samples.value(), request.bytes) : samples.error();
  if (!size.ok()) {
    std::cerr << "quadrille-partition: " << request.file << ": " << size.error().message << "\n";
    return exit_code::failed;
  }
  const PairSamples& pairs = samples.value().by_size.at(size.value());
  const auto measured =
      std::ranges::count_if(pairs, [](const auto& pair) { return !pair.second.empty(); });
  const auto hosts = static_cast<std::int64_t>(samples.value().hosts.size());
  json answer{{"cutoff", request.cutoff},
              {"there_bytes", size.value().first},
              {"back_bytes", size.value().second},
              {"hosts", samples.value().hosts},
              {"unmeasured_pairs", hosts * (hosts - 1) / 2 - measured},
              {"partitions", json::object()}};
  for (const std::string_view statistic : kStatistics) {
    if (request.statistic != "all" && request.statistic != statistic) continue;
    answer["partitions"][std::string(statistic)] =
        subnets_by(samples.value(), pairs, statistic, request.cutoff);
  }
  std::cout << answer.dump(2) << "\n";
  return exit_code::done;
}

}  // namespace
}  // namespace quadrille

int main(int argc, char** argv) {
  CLI::App app("Subnets by the 20 % rule on message times (Lowekamp, Beguelin 1996)");
  quadrille::PartitionRequest request;
  app.add_option("samples", request.file, "file of round trips, see `quadrille probe --samples`")
      ->required();
  app.add_option("--statistic", request.statistic, "of each pair's round trips")
      ->check(CLI::IsMember({"minimum", "mean", "median", "maximum", "all"}))
      ->capture_default_str();
  app.add_option("--cutoff", request.cutoff, "an edge joins up to so many times the cheapest")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str();
  app.add_option("--bytes", request.bytes,
                 "judge by messages of this size; without: the size of most pairs");
  if (const auto code = quadrille::parse_options(app, argc, argv)) return *code;
  try {
    return quadrille::run(request);
  } catch (const std::exception& error) {
    std::cerr << "quadrille-partition: " << error.what() << "\n";
    return quadrille::exit_code::failed;
  }
}
