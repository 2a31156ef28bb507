// SPDX-License-Identifier: BSD-3-Clause
// Which hosts are near to each other and which far, from the least round trips of small messages.
//
// Only a hint of the structure: equal networks behind a trunk look like one, and a slow host looks
// far from everybody. What is returned as a partition is therefore only what nothing else explains.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/model/model.h"
#include "probe/findings.h"

namespace quadrille::probe {

// Distances count as different from 20 % (ECO's rule) and from 5 us one way on, which is what the
// processors' states and cores of one kernel make of it.
inline constexpr double kDistanceRatio = 1.20;
inline constexpr std::int64_t kDistanceRoundTripNs = 10'000;

// Share of pairs that may have been measured grossly too long.
inline constexpr double kGrossShare = 0.05;

// The groups of `hosts` by position, numbered in the order of their first hosts: every pair across
// is farther apart than every pair inside, whichever group, but for gross outliers. Nothing where
// that is not so, where a group would have one host (which may just be slow), or where two groups
// have too few measured pairs between them to tell. Of several such partitions, the finest.
std::optional<std::vector<std::uint32_t>> latency_partition(const PairTable<PairLatency>& small,
                                                            const std::vector<HostIndex>& hosts);

// `hosts` so that near ones stand together, as far as round trips tell: next is always the one
// nearest to the last.
std::vector<HostIndex> ordered_by_distance(const PairTable<PairLatency>& small,
                                           std::vector<HostIndex> hosts);

// Pairs of like distance, nearest first, given the segment of each of `hosts` by position: "same
// switch" within a segment, and between segments "bridged", "routed" (the time to live was
// lowered) or "far" (a millisecond and more one way). A class is split where distances leave a gap.
std::vector<DelayClass> delay_classes(const PairTable<PairLatency>& small,
                                      const std::vector<HostIndex>& hosts,
                                      const std::vector<std::uint32_t>& segment_of);

// Routers on the way, from the time to live of what arrived: hosts begin with 64, 128 or 255.
std::uint32_t routers_passed(std::uint8_t time_to_live);

}  // namespace quadrille::probe
