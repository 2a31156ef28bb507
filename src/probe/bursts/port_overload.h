// SPDX-License-Identifier: BSD-3-Clause
// One port overloaded for a while, and what that says of its buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probe/findings.h"
#include "probe/round.h"

namespace quadrille::probe {

struct Overload {
  HostIndex receiver = 0;
  std::vector<HostIndex> senders;
  std::optional<HostIndex> observer;  // idle towards the port; none: the senders' own frames tell
};

// What was seen of a port.
struct BufferSight {
  double bytes = 0;  // that were safe to queue; margins subtracted
  bool overflowed = false;
};

// How fast everything of ours may come, and how fast the port can pass it on.
double offered_bit_s(const Overload& overload, const std::vector<HostRates>& rates);

// The port's rate at the low end of what is known.
double port_bit_s(const Overload& overload, const std::vector<HostRates>& rates);

// Adds to `round` what brings `excess_bytes` more to the port than it can pass on.
void add_overload(const Overload& overload, double excess_bytes,
                  const std::vector<HostRates>& rates, Round& round);

// Of the streams from `first_stream` on, which add_overload added. Nothing where the port was not
// what limited, or too little arrived.
std::optional<BufferSight> sight_of(const Overload& overload, const Round& round,
                                    std::size_t first_stream, const RoundResult& result,
                                    const std::vector<HostRates>& rates);

}  // namespace quadrille::probe
