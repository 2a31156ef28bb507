// SPDX-License-Identifier: BSD-3-Clause
// What is imperfect about simulated hosts and their measuring, beside the network itself.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "probe/round.h"

namespace quadrille::probe {

// Another way on which the hosts may or may not reach each other: one switch for all.
struct OtherNetwork {
  std::string interface = "adm0";
  double rate_bit_s = 1e9;
  bool physical = true;
  // As docker0: the same address on every host, so that nobody is reached.
  bool same_address = false;
};

struct HostTrouble {
  HostIndex host = 0;
  std::int64_t dies_at_ns = -1;  // stops answering at that time of the investigation; -1: never
  bool isolated = false;         // answers, but no frame of the main network reaches or leaves it
};

struct Conditions {
  std::uint64_t seed = 1;
  // To tell all hosts of a round and to collect what they saw.
  std::int64_t control_cost_ns = 15'000'000;
  std::int64_t control_cost_per_host_ns = 100'000;
  // Sending and receiving take this much longer, exponentially distributed.
  double jitter_ns = 3000;
  // A host's processor is elsewhere: how often, and for how long on average (exponential).
  double stalls_per_s = 1;
  double stall_ns = 500'000;
  // Share of delays, arrival times and round trips that are replaced by something huge.
  double wrong_samples = 0;
  // Each host's clock is off by up to this much, and drifts by up to this much.
  std::int64_t clock_offset_ns = 50'000;
  double clock_drift_ppm = 0.05;
  // Probability that a host begins a round several milliseconds late.
  double late_starts = 0;

  std::vector<HostTrouble> troubles;
  std::vector<std::pair<HostIndex, HostIndex>> firewalled;  // from, to: of the main network
  std::vector<OtherNetwork> other_networks;
  std::uint32_t main_network = 0;  // its place among the candidate networks
  bool main_network_preferred = false;

  // No noise, no clocks: what a round shows can be computed by hand.
  static Conditions exact() {
    Conditions conditions;
    conditions.jitter_ns = 0;
    conditions.stalls_per_s = 0;
    conditions.clock_offset_ns = 0;
    conditions.clock_drift_ppm = 0;
    return conditions;
  }
};

}  // namespace quadrille::probe
