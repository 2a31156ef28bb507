// SPDX-License-Identifier: BSD-3-Clause
// What sending and receiving a small datagram cost a host's processor, apart from latency, and the
// gap between two of them.
//
// A second send starts before the first has arrived, so a round trip says nothing of it: hosts send
// short bursts, and the least over several counts (LogP's o and g; Culler et al., "LogP: towards a
// realistic model of parallel computation", PPoPP 1993, doi:10.1145/155332.155333).
#pragma once

#include <vector>

#include "base/error.h"
#include "network/model/model.h"
#include "probe/findings.h"
#include "probe/investigation.h"

namespace quadrille::probe {

// The interval of each: from the least of all bursts, which is the value, to the middle one.
struct HostOverheads {
  MaybeMeasured send_ns;
  MaybeMeasured receive_ns;
  MaybeMeasured gap_ns;
};

struct Overheads {
  std::vector<HostOverheads> hosts;  // [hosts of the network]
  HostOverheads usual;  // medians over hosts, with the interval that half of them are in
};

// The median host, and from the lowest to the highest quarter.
HostOverheads usual_of(const std::vector<HostOverheads>& hosts);

// `rates` by host bound how long a burst takes; unknown ones are taken for 10 Mbit/s.
Result<Overheads> measure_host_overheads(Setting& setting, const std::vector<HostRates>& rates);

}  // namespace quadrille::probe
