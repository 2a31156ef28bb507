// SPDX-License-Identifier: BSD-3-Clause
// Who hears whose multicast, how much of it gets through whole, and whether it still does later.
//
// Switches that prune by IGMP let multicast through at first and stop after a minute or so where
// nobody asks for memberships; so what worked is tried again later, without joining again, and the
// age of the last try is told.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "network/model/model.h"
#include "probe/findings.h"
#include "probe/host_set.h"
#include "probe/investigation.h"
#include "probe/reach/network_reach.h"

namespace quadrille::probe {

struct GroupMulticast {
  std::optional<bool> works;      // every host hears every other; nothing: one host, or not tried
  std::vector<OneWay> not_heard;  // inside the group
  MaybeMeasured rate_bit_s;       // highest that was tried and arrived whole at all
  MaybeMeasured loss;             // share of datagrams, at that rate; else at the lowest tried
};

struct MulticastReach {
  PairTable<Heard> heard;  // row = sender
  std::vector<GroupMulticast> groups;
  // [from group][to group]: whether each host of the one is heard by each of the other.
  std::vector<std::vector<std::optional<bool>>> between;
  std::int64_t tried_at_ns = 0;  // Network::elapsed_ns
};

// What a later try found.
struct MulticastAgain {
  std::int64_t age_ns = 0;                 // since the first try
  std::vector<std::optional<bool>> works;  // [groups]; nothing: did not work before either
  std::vector<OneWay> lost;                // ways inside groups that worked and do no longer
};

// What follows for groups - the hosts of one segment each - from who heard whom.
MulticastReach judge_multicast(const PairTable<Heard>& heard, const std::vector<HostSet>& groups);

// `rates` by host, to choose the rates that are tried; hosts without a known rate: no rate is
// tried.
Result<MulticastReach> measure_multicast_reach(Setting& setting, const std::vector<HostSet>& groups,
                                               const std::vector<HostRates>& rates);

// Tries again who hears whom inside the groups that worked.
Result<MulticastAgain> multicast_keeps_working(Setting& setting, const std::vector<HostSet>& groups,
                                               const MulticastReach& earlier);

}  // namespace quadrille::probe
