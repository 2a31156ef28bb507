// SPDX-License-Identifier: BSD-3-Clause
// How pipelined algorithms cut a vector into segments.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/shape.h"

namespace quadrille {

// More segments cost more memory than their shorter pipeline gains.
inline constexpr std::uint64_t most_segments = 4096;

// Into how many segments of about `segment_bytes` the vector of `shape` is cut: 1 to most_segments,
// none of them empty. REQUIRES: shape.count > 0
inline std::uint64_t segment_count(const Shape& shape, std::int64_t segment_bytes) {
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(1, segment_bytes));
  const std::uint64_t elements = std::max<std::uint64_t>(1, bytes / shape.element_bytes);
  return std::min((shape.count + elements - 1) / elements, most_segments);
}

}  // namespace quadrille
