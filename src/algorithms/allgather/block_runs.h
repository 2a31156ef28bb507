// SPDX-License-Identifier: BSD-3-Clause
// Messages of several ranks' blocks, one block behind the other, and a vector of one block a rank:
// ranks that follow one another in both form a run, which moves as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/builder.h"
#include "schedule/schedule.h"

namespace quadrille {

// Offsets and length in elements.
struct BlockRun {
  std::uint64_t in_message = 0;
  std::uint64_t in_vector = 0;
  std::uint64_t length = 0;

  Region of_message(const Region& message) const {
    return {message.buffer, message.offset + in_message, length};
  }
  Region of_vector(const Region& vector) const {
    return {vector.buffer, vector.offset + in_vector, length};
  }
};

// The runs of a message with the blocks of `ranks`, of `count` elements each.
std::vector<BlockRun> runs_of(std::span<const Rank> ranks, std::uint64_t count);

// The blocks of `ranks` out of `vector` as one region: part of it where they are one run, else
// copied to scratch.
Region packed_blocks(ScheduleBuilder& builder, const Region& vector, std::span<const Rank> ranks,
                     std::uint64_t count);

}  // namespace quadrille
