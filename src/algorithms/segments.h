// SPDX-License-Identifier: BSD-3-Clause
// How algorithms cut a vector: pipelined ones into segments, paced ones into pieces that fit a
// small buffer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/divide_up.h"
#include "schedule/shape.h"

namespace quadrille {

// More segments cost more memory than their shorter pipeline gains.
inline constexpr std::uint64_t most_segments = 4096;

// A parameter that counts something, of which 0 would be none at all.
inline std::uint64_t at_least_one(std::int64_t value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, value));
}

// How many elements a piece of at most `bytes` holds: as few as 1, even where that is larger.
inline std::uint64_t elements_within(std::int64_t bytes, std::uint32_t element_bytes) {
  return std::max<std::uint64_t>(1, at_least_one(bytes) / element_bytes);
}

// Into how many pieces of at most `piece_elements` a vector of `count` elements is cut; 0 for an
// empty one.
inline std::uint64_t pieces_of(std::uint64_t count, std::uint64_t piece_elements) {
  return divide_up(count, piece_elements);
}

// Into how many segments of about `segment_bytes` a vector of `count` elements is cut: 1 to
// most_segments, none of them empty unless all are. For 0 bytes a segment: as few as 1 element.
inline std::uint64_t segment_count(std::uint64_t count, std::uint32_t element_bytes,
                                   std::int64_t segment_bytes) {
  return std::clamp<std::uint64_t>(pieces_of(count, elements_within(segment_bytes, element_bytes)),
                                   1, most_segments);
}
inline std::uint64_t segment_count(const Shape& shape, std::int64_t segment_bytes) {
  return segment_count(shape.count, shape.element_bytes, segment_bytes);
}

}  // namespace quadrille
