// SPDX-License-Identifier: BSD-3-Clause
// Classes of sizes, four an octave: calls of one class are decided alike.
#pragma once

#include <bit>
#include <cstdint>

namespace quadrille {

// 0 for 0, then four classes for each power of two: the two bits after the leading one tell them
// apart.
inline std::uint32_t size_class(std::uint64_t bytes) {
  if (bytes == 0) return 0;
  const int octave = std::bit_width(bytes) - 1;
  const std::uint64_t quarter =
      octave >= 2 ? (bytes >> (octave - 2)) & 3U : (bytes << (2 - octave)) & 3U;
  return 1U + static_cast<std::uint32_t>(octave) * 4U + static_cast<std::uint32_t>(quarter);
}

}  // namespace quadrille
