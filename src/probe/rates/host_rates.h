// SPDX-License-Identifier: BSD-3-Clause
// What each host's own cable carries, each direction for itself, and what others take of it.
//
// A train from one host to another says the least of three rates: the sender's cable, what is
// between, the receiver's cable. So nothing is concluded from one pair. Outwards: the sender's own
// interface says at which rate it took the train; where the train arrived as fast, the cable
// outwards was the narrowest, else the host sends to several partners at once. Inwards: two or more
// hosts send to one, faster together than it takes. Each host is measured with several partners,
// and the best counts: a slow trunk is not a slow host. A rate that stayed limited by partners is
// "at least" that.
//
// Trains of different hosts run at once only after a sample has shown the same rates alone.
#pragma once

#include <vector>

#include "base/error.h"
#include "probe/findings.h"
#include "probe/investigation.h"

namespace quadrille::probe {

// By host of the network; those that are not in setting.hosts, or that nothing reached, unknown.
// Errors: of the network.
Result<std::vector<HostRates>> measure_host_rates(Setting& setting);

// Whether nobody else was seen to use the network.
bool quiet(const std::vector<HostRates>& cables);

}  // namespace quadrille::probe
