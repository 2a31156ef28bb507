// SPDX-License-Identifier: BSD-3-Clause
// Round trips of small messages between all pairs of hosts, or as many as the time allows.
//
// A few pairs are measured alone first. Where they are slower with others at the same time, fewer
// run at once. Pairs that look farther apart than their hosts' nearest are measured again, as that
// may be other traffic's doing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "probe/investigation.h"
#include "probe/latency/exchange_slots.h"

namespace quadrille::probe {

inline constexpr std::uint32_t kSmallBytes = 64;  // of payload

struct SmallRoundTrips {
  PairTable<PairLatency> latencies;
  std::vector<HostPair> order;  // all pairs, so that any beginning treats all hosts alike
  std::uint32_t at_once = 1;
  bool all_pairs = false;
};

// REQUIRES: at least two of setting.hosts.
Result<SmallRoundTrips> measure_small_round_trips(Setting& setting);

}  // namespace quadrille::probe
