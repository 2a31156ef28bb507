// SPDX-License-Identifier: BSD-3-Clause
// How many bytes may arrive at one switch port at once before something is lost.
//
// Some hosts send to one, together about twice as fast as its port, for long enough to fill the
// buffer several times over. Meanwhile light datagrams of an idle host pass the same port: what the
// full queue delays them by, times the port's rate, is the buffer. Loss says that it was full. The
// amount grows in steps, so that small buffers are not flooded and deep ones are found to be deep.
// The result is meant to be kept below: margins are subtracted.
#pragma once

#include <vector>

#include "base/error.h"
#include "probe/findings.h"
#include "probe/investigation.h"

namespace quadrille::probe {

// The hosts of one segment, in which each has a port of its own unless it is a bus.
struct PortGroup {
  std::vector<HostIndex> hosts;
  SegmentKind kind = SegmentKind::switched;
};

// By group. Nothing is known of a bus, which has no ports, nor where no port could be overloaded:
// fewer than three hosts, or senders too slow. Errors: of the network.
Result<std::vector<Burst>> measure_safe_bursts(Setting& setting,
                                               const std::vector<PortGroup>& groups,
                                               const std::vector<HostRates>& rates);

}  // namespace quadrille::probe
