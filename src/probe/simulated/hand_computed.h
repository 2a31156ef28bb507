// SPDX-License-Identifier: BSD-3-Clause
// Networks and rounds so simple that what they show is computed by hand; for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "probe/simulated/simulated_network.h"

namespace quadrille::probe {

inline constexpr double kRate = 12.112e6;             // a full frame a millisecond
inline constexpr std::int64_t kFullNs = 1'000'000;    // of a full frame
inline constexpr std::int64_t kLightNs = 66'051;      // of a light one
inline constexpr std::int64_t kHostNs = 4000 + 2000;  // send call, receive stamp
inline constexpr std::int64_t kRoundingNs = 20;

inline SimulatedTopology one_switch(std::uint32_t hosts, double buffer_kib = 32) {
  SimulatedTopology topology;
  topology.add_hosts(topology.add_switch("s0", kRate, buffer_kib), hosts);
  return topology;
}

inline Stream stream(HostIndex from, HostIndex to, std::uint32_t count) {
  return {.from = from, .to = to, .at_ns = 0, .count = count, .keep_arrivals = true};
}

inline RoundResult perform(SimulatedNetwork& network, const Round& round) {
  auto result = network.perform(round);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result.value());
}

inline Round lasting(std::int64_t duration_ns) {
  Round round;
  round.duration_ns = duration_ns;
  return round;
}

}  // namespace quadrille::probe
