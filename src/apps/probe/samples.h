// SPDX-License-Identifier: BSD-3-Clause
// The round trips of an investigation, kept as they were measured.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "probe/network.h"
#include "probe/round.h"

namespace quadrille::probe {

class Samples {
 public:
  void keep(const Round& round, const RoundResult& result);
  // {"hosts": [names], "pairs": [{"from", "to", "there_bytes", "back_bytes", "round_trips_ns"}]}
  std::string text(const std::vector<HostFacts>& hosts) const;
  // Errors: system.
  Result<bool> write(const std::string& path, const std::vector<HostFacts>& hosts) const;

 private:
  using Key = std::tuple<HostIndex, HostIndex, std::uint32_t, std::uint32_t>;
  std::map<Key, std::vector<std::int64_t>> round_trips_ns_;
};

}  // namespace quadrille::probe
