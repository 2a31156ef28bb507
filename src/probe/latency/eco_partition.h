// SPDX-License-Identifier: BSD-3-Clause
// The partition of hosts into subnets by the 20 % rule on message times.
//
// The algorithm of Figure 2 in Lowekamp, Beguelin: "ECO: Efficient Collective Operations for
// Communication on Heterogeneous Networks", Proc. 10th International Parallel Processing Symposium,
// 1996, section 4.1. An edge joins two subnets when it costs at most 20 % more than the cheapest
// edge of each of its ends and than the cheapest edge inside each of their subnets.
//
// Not every edge into a subnet is looked at, so single edges that were measured far too long do no
// harm. An edge measured far too short does: it makes a subnet of its two ends. And networks of
// equal cost on both sides of a trunk look like one; that takes contention to see.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/findings.h"

namespace quadrille::probe {

inline constexpr double kEcoCutoff = 1.20;  // "although arbitrary", section 4.1

// The subnet of each host, numbered in the order of their first hosts. `cost` of a pair is the
// lesser of both directions; 0 or less: not measured, such an edge joins nothing.
std::vector<std::uint32_t> eco_partition(const PairTable<double>& cost, double cutoff = kEcoCutoff);

}  // namespace quadrille::probe
