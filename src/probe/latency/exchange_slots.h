// SPDX-License-Identifier: BSD-3-Clause
// Round trips of many pairs in few rounds: each pair has a slot of time, and pairs that share no
// host may share a slot.
//
// Both ends of an exchange spin, so on a machine with few cores one pair at a time is honest; on
// separate machines as many as are disjoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "probe/findings.h"
#include "probe/investigation.h"

namespace quadrille::probe {

using HostPair = std::pair<HostIndex, HostIndex>;

// All that was seen of the pairs; a pair's cell is that of its first host as `from`.
struct TripSamples {
  std::vector<std::int64_t> round_trips_ns;
  std::uint8_t time_to_live = 0;
};
using TripTable = PairTable<TripSamples>;

// How each pair of a list is exchanged with.
struct SlotPlan {
  std::string purpose;
  std::uint32_t count = 1;
  std::uint32_t there_bytes = 64;
  std::uint32_t back_bytes = 64;
  std::int64_t slot_ns = 0;
  std::uint32_t at_once = 1;
};

// Every pair once, so that neighbours in the list are disjoint: a round-robin tournament by the
// circle method. Any beginning of the list gives all hosts about as many partners.
std::vector<HostPair> tournament(const std::vector<HostIndex>& hosts);

// The list in slots: at most `at_once` pairs, no host twice. Each pair goes into the first of the
// latest few slots that has room, so a tournament fills its slots and other lists nearly.
std::vector<std::vector<HostPair>> slots_of(const std::vector<HostPair>& pairs,
                                            std::uint32_t at_once);

// Performs the exchanges and adds what they measured to `samples`.
std::optional<Error> exchange_in_slots(Setting& setting, const std::vector<HostPair>& pairs,
                                       const SlotPlan& plan, TripTable& samples);

// A slot in which `repeats` round trips of this length fit, with the time a host takes to wake up.
std::int64_t slot_for(std::int64_t round_trip_ns, std::uint32_t repeats);

// As many pairs as slots of `slot_ns` hold within `budget_ns`, at least one.
std::size_t pairs_within(std::int64_t budget_ns, std::int64_t slot_ns, std::uint32_t at_once,
                         std::size_t hosts);

// The first `count` of `pairs`, or all.
std::vector<HostPair> first_of(std::vector<HostPair> pairs, std::size_t count);

// Least, mean, median and longest of one pair.
PairLatency latency_of(const TripSamples& samples);

// The same of all pairs. `symmetric`: what was measured from either host counts for both ways.
PairTable<PairLatency> latencies_of(const TripTable& samples, bool symmetric);

}  // namespace quadrille::probe
