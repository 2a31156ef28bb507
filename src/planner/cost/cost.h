// SPDX-License-Identifier: BSD-3-Clause
// The time that one call's schedules take on a measured network: all ranks' steps, played through
// event by event.
//
// A rank's processor starts its sends and takes its receipts one after the other. A message goes
// through the resources of its way in pieces, first come, first served, and begins on the next
// resource while it is still on the one before; a piece is what TCP puts under way at once, so that
// messages of one host take turns as their connections do. Messages above the eager limit wait
// until both ends are ready. Where more is under way to a buffer than it holds, packets are lost,
// and the time in which TCP repeats them is added.
//
// Integers throughout; events of the same instant are taken in the order in which they were caused,
// so that every rank computes the same. Reentrant: no state is kept between calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "network/network_costs.h"
#include "schedule/schedule.h"

namespace quadrille {

struct CostBreakdown {
  Nanoseconds total;            // until the last rank is through, `retransmissions` included
  Nanoseconds retransmissions;  // of that, waiting for what buffers could not hold
  NetworkCosts::ResourceIndex bottleneck = NetworkCosts::none;  // busy longest; none: no message
  std::vector<Nanoseconds> busy;                                // [NetworkCosts::resources]

  // Sets `busy` and with it `bottleneck`, of equals the first.
  void set_busy(std::span<const std::int64_t> busy_ns);
};

// From where a step may begin, by its dependencies, to its end: waiting for the processor, for the
// other end and for the network included.
struct StepTime {
  Nanoseconds start;
  Nanoseconds end;
};

// With `times`, tells each step's too: [steps of all ranks], rank after rank. The last of their
// ends is the total less `retransmissions`. REQUIRES: the schedules pass check() and are for
// `costs.ranks()` ranks; elements are of `element_bytes`.
CostBreakdown cost_of(std::span<const Schedule> schedules, std::uint32_t element_bytes,
                      const NetworkCosts& costs, std::vector<StepTime>* times = nullptr);

}  // namespace quadrille
