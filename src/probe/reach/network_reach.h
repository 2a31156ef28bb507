// SPDX-License-Identifier: BSD-3-Clause
// Whose datagrams arrive where, on one candidate network: which hosts can be measured together.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "probe/findings.h"
#include "probe/host_set.h"
#include "probe/investigation.h"
#include "probe/network.h"

namespace quadrille::probe {

enum class Heard : std::uint8_t { not_tried, no, yes };

struct OneWay {
  HostIndex from = 0;
  HostIndex to = 0;
  bool operator==(const OneWay&) const = default;
};

struct LeftOut {
  HostIndex host = 0;
  std::string reason;  // "nobody hears it", ...
};

struct NetworkReach {
  HostSet hosts;                  // that can work together
  std::vector<LeftOut> left_out;  // have an address, but are not heard or do not hear
  std::vector<OneWay> missing;    // ways between `hosts` that were tried in vain
};

// Every pair is tried up to so many hosts; beyond, each host tries kReachPartners others.
inline constexpr std::size_t kReachAllPairs = 64;
inline constexpr std::size_t kReachPartners = 16;

// The ways to try between `hosts`: each in both directions, and all hosts connected by them.
PairTable<Heard> ways_to_try(std::size_t all_hosts, std::vector<HostIndex> hosts,
                             std::mt19937_64& chance);

// What follows from who was heard: the largest set of hosts that hear each other both ways, less
// those that miss more than half of it. Where two sets are equal, the one with the lowest host.
NetworkReach judge_reach(const PairTable<Heard>& heard, const std::vector<HostIndex>& addressed);

// Tries `candidate` between all its hosts with light datagrams; ways that nothing arrived on are
// tried again (twice; once when quick), waiting longer each time, before they count as missing.
Result<NetworkReach> measure_reach(Network& network, std::uint32_t candidate, Depth depth,
                                   std::mt19937_64& chance);

}  // namespace quadrille::probe
