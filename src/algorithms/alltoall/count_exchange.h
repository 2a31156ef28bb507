// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a host tell each other before a vector collective whose blocks they carry for
// each other: each tells each other one how long its blocks are for the hosts that this one carries
// to, and from those that it carries from. So both ends of a message between two hosts know what is
// in it, though no rank learns more than a vector or two of lengths.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/alltoall/carried_hosts.h"
#include "schedule/blocks.h"
#include "schedule/schedule.h"

namespace quadrille {

// Whether its generator has to be given LocalCounts::told.
bool needs_count_exchange(const Algorithm& algorithm);

// What a rank with `counts` tells the one at `place` of its host: in bytes, of the blocks to
// targets_of(place), then of those from sources_of(place).
std::vector<std::uint64_t> counts_for(const CarriedHosts& hosts, const LocalCounts& counts,
                                      std::size_t place);

// The telling itself, the same for all calls of a communicator: lengths for the first place, the
// second and so on in `send`, without the own; those from them in `receive` likewise.
Schedule exchange_counts(const CarriedHosts& hosts);

}  // namespace quadrille
