// SPDX-License-Identifier: BSD-3-Clause
// Round trips between pairs of hosts, for messages of several sizes.
//
// Small messages go between all pairs, see small_round_trips.h; longer ones between a few pairs of
// each host, 8 KiB there and little back and the reverse, so that each direction is known for
// itself.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "probe/findings.h"
#include "probe/investigation.h"
#include "probe/latency/small_round_trips.h"

namespace quadrille::probe {

inline constexpr std::uint32_t kFullPayloadBytes = 1472;  // fills one frame
inline constexpr std::uint32_t kLargeBytes = 8192;

struct PairLatencies {
  PairTable<PairLatency> small;       // 64 B both ways; the same from both hosts
  PairTable<PairLatency> full_frame;  // one full frame both ways; the same from both hosts
  PairTable<PairLatency> large;       // 8 KiB from row to column, 64 B back
  std::uint32_t at_once = 1;          // exchanges that ran at the same time
  bool all_pairs = false;             // of `small`
};

// REQUIRES: at least two of setting.hosts.
Result<PairLatencies> measure_pair_latency(Setting& setting);

}  // namespace quadrille::probe
