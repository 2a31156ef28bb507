// SPDX-License-Identifier: BSD-3-Clause
// What a candidate network is worth: the rate of short trains and the round trip of a few pairs.
//
// Enough to tell networks apart whose rates differ by a quarter or more; the rates of the model are
// measured elsewhere, with more bytes.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/error.h"
#include "probe/network.h"

namespace quadrille::probe {

inline constexpr double kMeasurablyFaster = 1.25;
inline constexpr double kMeasurablyNearer = 1.10;

// What a candidate that works was found to be worth; 0: not measured.
struct NetworkWorth {
  std::uint32_t network = 0;
  double rate_bit_s = 0;
  std::int64_t round_trip_ns = 0;
};

// The rate of a train of equal frames, from its arrivals: the median slope over all pairs of them,
// so that neither wrong samples nor arrivals handed over in batches count. 0: too few arrived.
double rate_of_train(std::vector<Arrival> arrivals, std::uint32_t frame_bytes);

// The position of the best: rates within a quarter of the highest count as equal, then round trips
// within a tenth of the least, then the order given. REQUIRES: worths is not empty.
std::size_t best_worth(const std::vector<NetworkWorth>& worths);

// Measures each of `networks` between the same few disjoint pairs of `hosts`, one pair at a time.
Result<std::vector<NetworkWorth>> measure_worths(Network& network,
                                                 const std::vector<std::uint32_t>& networks,
                                                 const std::vector<HostIndex>& hosts,
                                                 std::mt19937_64& chance);

}  // namespace quadrille::probe
