// SPDX-License-Identifier: BSD-3-Clause
// The exchange of all-to-all blocks in which the receiver says who may send. A receiver's sources
// stand in an order that both ends of each block know, in groups of lanes: a group's sources are
// dealt out over its lanes; in a lane at most `window` messages are under way, the first of them
// unscheduled, each later one after a message without data by which the receiver asks for it.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/alltoall/asked_lanes.h"

namespace quadrille {

// One block to or from `partner`.
struct ExchangeTurn {
  std::uint64_t position = 0;  // in the order of the receiver's sources of this group
  std::uint32_t group = 0;
  Rank partner = 0;
};

struct OrderedExchange {
  std::vector<LaneGroup> groups;
  std::int64_t piece_bytes = 8192;    // the most in one message
  std::vector<ExchangeTurn> sources;  // positions of each group: 0, 1, 2, ...
  std::vector<ExchangeTurn> targets;
};

// The schedule of `rank`: blocks of all sources and targets, and its own copied. It promises
// most_incoming: the sum of all lanes' windows.
// REQUIRES: every other rank once among the sources and once among the targets; both ends of a
// block agree on its position and group.
Schedule exchange_in_order(OrderedExchange exchange, const Shape& shape, Rank rank);

}  // namespace quadrille
