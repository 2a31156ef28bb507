// SPDX-License-Identifier: BSD-3-Clause
// Which flows to send at once: loads that fill what hosts share, but not their own cables.
#pragma once

#include <vector>

#include "probe/segments/loaded_view.h"

namespace quadrille::probe {

// Share of a cable's free rate that flows may take without filling its queue.
inline constexpr double kCableShare = 0.96;

// Of what gets through something shared: what keeps it full. More only lengthens queues, which have
// to be waited for.
inline constexpr double kKeepsFull = 1.5;

// Everybody in `order` sends to the one `shift` places further on: each cable is busy in both
// directions, at `share` of what is free. REQUIRES: 0 < shift < order.size().
std::vector<Flow> shifted_flows(const HostSet& order, std::size_t shift,
                                const std::vector<HostRates>& rates, double share);

// Everybody sends to all others, as much to each: whichever half of the hosts is behind a trunk,
// more than half of it crosses. REQUIRES: at least two hosts.
std::vector<Flow> spread_flows(const HostSet& hosts, const std::vector<HostRates>& rates,
                               double share);

// Everybody of `senders` sends as fast as its cable allows to some of `receivers`, in their order,
// as far as they take it: `out` are the senders' rates, `in` the receivers'. `most_bit_s` bounds
// the sum. Each sends to at least `ways` of them, as far as there are that many: what lies before
// two of them may take less than both.
std::vector<Flow> crossing_flows(const HostSet& senders, const std::vector<HostRates>& out,
                                 const HostSet& receivers, const std::vector<HostRates>& in,
                                 double most_bit_s, std::size_t ways = 1);

// Towards and from which hosts a load is looked at: all, which an empty set stands for, or some at
// random where there are too many pairs.
HostSet choose_landmarks(Setting& setting);
// As many at random as may have more light datagrams than others: what all had would make a load
// longer, and the queues that it leaves deeper.
HostSet few_landmarks(Setting& setting);

// The hosts by name, numbers inside names as numbers (n2 before n10): whoever numbered them mostly
// followed the cables.
HostSet ordered_by_name(const Setting& setting);

double sum_free_out(const HostSet& hosts, const std::vector<HostRates>& rates);
double sum_free_in(const HostSet& hosts, const std::vector<HostRates>& rates);

}  // namespace quadrille::probe
