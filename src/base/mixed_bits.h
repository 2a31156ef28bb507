// SPDX-License-Identifier: BSD-3-Clause
// The last step of SplitMix64 (S. Vigna): of two numbers that differ in a bit, half of all bits
// differ afterwards.
#pragma once

#include <cstdint>

namespace quadrille {

inline std::uint64_t mixed_bits(std::uint64_t number) {
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

}  // namespace quadrille
