// SPDX-License-Identifier: BSD-3-Clause
// For tests: messages that differ from each other, and times in milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace quadrille::wire {

using Message = std::vector<std::byte>;

inline Message message(std::size_t length, std::size_t salt) {
  Message bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<std::byte>(salt * 31 + i * 7 + i / 251);
  return bytes;
}

constexpr Nanoseconds milliseconds(std::int64_t count) { return {count * 1'000'000}; }
inline double ms(Nanoseconds time) { return static_cast<double>(time.value) / 1e6; }

}  // namespace quadrille::wire
