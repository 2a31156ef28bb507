// SPDX-License-Identifier: BSD-3-Clause
// A few slots of scratch that pieces of a vector take in turn: a slot is free again when what was
// done with its last piece is complete, which the dependencies that the data need wait for.
#pragma once

#include <cstdint>

#include "schedule/builder.h"

namespace quadrille {

class SlotRing {
 public:
  // Four keep receiving, combining and sending going where pieces follow each other.
  static constexpr std::uint64_t pipeline_slots = 4;

  // `slots` of them - 0 for a rank that takes none - of `length` elements each.
  SlotRing(ScheduleBuilder& builder, std::uint64_t slots, std::uint64_t length)
      : slots_(slots), length_(length), ring_(builder.scratch(slots * length)) {}

  // The first `length` elements of the next slot. REQUIRES: slots there are; none is shorter.
  Region next(std::uint64_t length) {
    return {ring_.buffer, ring_.offset + taken_++ % slots_ * length_, length};
  }

 private:
  std::uint64_t slots_;
  std::uint64_t length_;
  Region ring_;
  std::uint64_t taken_ = 0;
};

}  // namespace quadrille
