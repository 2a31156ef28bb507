// SPDX-License-Identifier: BSD-3-Clause
#include "apps/probe/samples.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace quadrille::probe {

void Samples::keep(const Round& round, const RoundResult& result) {
  for (std::size_t i = 0; i < round.exchanges.size() && i < result.exchanges.size(); ++i) {
    const Exchange& exchange = round.exchanges[i];
    const std::vector<std::int64_t>& found = result.exchanges[i].round_trips_ns;
    if (found.empty()) continue;
    auto& kept =
        round_trips_ns_[{exchange.from, exchange.to, exchange.there_bytes, exchange.back_bytes}];
    kept.insert(kept.end(), found.begin(), found.end());
  }
}

std::string Samples::text(const std::vector<HostFacts>& hosts) const {
  using nlohmann::json;
  json names = json::array();
  for (const HostFacts& host : hosts) names.push_back(host.name);
  json pairs = json::array();
  for (const auto& [key, round_trips_ns] : round_trips_ns_) {
    const auto& [from, to, there_bytes, back_bytes] = key;
    pairs.push_back({{"from", hosts.at(from).name},
                     {"to", hosts.at(to).name},
                     {"there_bytes", there_bytes},
                     {"back_bytes", back_bytes},
                     {"round_trips_ns", round_trips_ns}});
  }
  return json{{"hosts", std::move(names)}, {"pairs", std::move(pairs)}}.dump(
      1, ' ', false, json::error_handler_t::replace);
}

Result<bool> Samples::write(const std::string& path, const std::vector<HostFacts>& hosts) const {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text(hosts) << '\n';
  file.close();
  if (file.good()) return true;
  return Error{ErrorKind::system, "the samples cannot be written to " + path +
                                      " on rank 0's host: " + std::strerror(errno)};
}

}  // namespace quadrille::probe
