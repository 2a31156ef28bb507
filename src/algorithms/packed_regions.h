// SPDX-License-Identifier: BSD-3-Clause
// A message of several regions, one behind the other: what lies so already moves as it is, the rest
// by way of scratch.
#pragma once

#include <vector>

#include "schedule/builder.h"
#include "schedule/schedule.h"

namespace quadrille {

class PackedRegions {
 public:
  // Regions without elements are left out.
  void add(const Region& region) {
    if (region.length == 0) return;
    length_ += region.length;
    if (!regions_.empty() && regions_.back().buffer == region.buffer &&
        regions_.back().offset + regions_.back().length == region.offset) {
      regions_.back().length += region.length;
    } else {
      regions_.push_back(region);
    }
  }

  // The message to `peer`, or from it; none without elements.
  void send(ScheduleBuilder& builder, Rank peer) const {
    if (length_ > 0) builder.send(peer, packed(builder));
  }
  void receive(ScheduleBuilder& builder, Rank peer) const {
    if (length_ == 0) return;
    if (regions_.size() == 1) {
      builder.receive(peer, regions_.front());
      return;
    }
    Region part = builder.scratch(length_);
    builder.receive(peer, part);
    for (const Region& region : regions_) {
      part.length = region.length;
      builder.copy(part, region);
      part.offset += part.length;
    }
  }

 private:
  Region packed(ScheduleBuilder& builder) const {
    if (regions_.size() == 1) return regions_.front();
    const Region message = builder.scratch(length_);
    Region part = message;
    for (const Region& region : regions_) {
      part.length = region.length;
      builder.copy(region, part);
      part.offset += part.length;
    }
    return message;
  }

  std::vector<Region> regions_;
  std::uint64_t length_ = 0;
};

}  // namespace quadrille
