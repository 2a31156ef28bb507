// SPDX-License-Identifier: BSD-3-Clause
// The lanes over which a receiver that asks for its data deals out its senders, by their position
// in its order: each lane has a window of its own, so that others go on where one sender is late.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/asked_pieces.h"
#include "algorithms/segments.h"
#include "base/divide_up.h"
#include "schedule/builder.h"

namespace quadrille {

// A group of senders with lanes of its own.
struct LaneGroup {
  std::uint64_t partners = 1;  // lanes
  std::uint64_t window = 1;    // messages in each lane

  // 0 counts as 1. REQUIRES: the parameters have these names.
  static LaneGroup of(const Parameters& parameters, std::string_view partners,
                      std::string_view window) {
    return {at_least_one(parameters[partners]), at_least_one(parameters[window])};
  }

  // How many senders of the same lane stand before that at `position`.
  std::uint64_t place_in_lane(std::uint64_t position) const { return position / partners; }
  // How many of `positions` senders are in the lane of that at `position`.
  std::uint64_t lane_senders(std::uint64_t position, std::uint64_t positions) const {
    return divide_up(positions - position % partners, partners);
  }
};

// A receiver's side of its lanes: of each, the messages in the order in which it lists them.
class AskedLanes {
 public:
  AskedLanes(ScheduleBuilder& builder, const LaneGroup& group, std::uint64_t positions)
      : partners_(group.partners),
        lanes_(std::min(group.partners, positions), AskedReceipts(builder, group.window)) {}

  // REQUIRES: position < positions.
  AskedReceipts& of(std::uint64_t position) { return lanes_[position % partners_]; }

  // Each lane's window, or all its messages where they are fewer.
  std::uint32_t most_incoming() const {
    std::uint32_t sum = 0;
    for (const AskedReceipts& lane : lanes_) sum += lane.most_incoming();
    return sum;
  }

 private:
  std::uint64_t partners_;
  std::vector<AskedReceipts> lanes_;
};

}  // namespace quadrille
