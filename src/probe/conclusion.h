// SPDX-License-Identifier: BSD-3-Clause
// Puts what the phases found together as a network model. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "network/model/model.h"
#include "probe/latency/pair_latency.h"
#include "probe/network.h"
#include "probe/rates/host_overheads.h"
#include "probe/reach/choose_network.h"
#include "probe/reach/multicast_reach.h"
#include "probe/segments/bus_search.h"
#include "probe/segments/segments.h"
#include "probe/trunks/trunk_tree.h"

namespace quadrille::probe {

struct Findings {
  NetworkChoice choice;
  std::optional<PairLatencies> latencies;
  std::vector<HostRates> rates;  // [hosts of the network]
  std::vector<Bus> buses;
  Partition partition;
  std::vector<TreeNode> trunks;             // empty: not looked for
  std::vector<Burst> bursts;                // [segments]; empty: not measured
  std::optional<MulticastReach> multicast;  // its groups are the segments
  std::optional<MulticastAgain> multicast_again;
  std::optional<Overheads> overheads;
  std::vector<Warning> left_out;  // what there was no time for
};

// The kind of each segment of the partition, by position.
std::vector<SegmentKind> kinds_of(const Findings& findings);

// What all hosts of each bus were measured to carry is one value: that of the bus.
void settle_bus_rates(const std::vector<Bus>& buses, std::vector<HostRates>& rates);

// Of what hosts of one switch were measured to carry at first and then among themselves: the
// faster, as a trunk may have limited the other; where both are nearly the same, or both are limits
// of the cable and one is what its switch's other cables carry, that which is nearer to those.
void settle_cable_rates(const HostSet& hosts, const std::vector<HostRates>& near,
                        std::vector<HostRates>& rates);

// The model, but for how long it took and what was sent.
NetworkModel conclude(const Network& network, const Findings& findings);

}  // namespace quadrille::probe
