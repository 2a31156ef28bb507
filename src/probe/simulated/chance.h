// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
//
// The standard library's distributions may differ between implementations; a simulated network has
// to be the same for its seed everywhere.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/mixed_bits.h"

namespace quadrille::probe {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 0x1D8E4E27C47D124FU) {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    return mixed_bits(state_);
  }
  // In [0, 1).
  double share() { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }
  double between(double low, double high) { return low + (high - low) * share(); }
  double exponential(double mean) { return -mean * std::log1p(-share()); }
  // Whole number in [low, high].
  std::uint32_t number(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(share() * (high - low + 1));
  }
  bool happens(double probability) { return probability > 0 && share() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace quadrille::probe
