// SPDX-License-Identifier: BSD-3-Clause
// Units as types: a number of bytes is not a number of nanoseconds.
#pragma once

#include <compare>
#include <cstdint>

namespace quadrille {

// A rank of the communicator that a call is made on; world ranks are named so.
using Rank = std::int32_t;

struct Bytes {
  std::uint64_t value = 0;
  auto operator<=>(const Bytes&) const = default;
  Bytes& operator+=(Bytes other) {
    value += other.value;
    return *this;
  }
};
inline Bytes operator+(Bytes a, Bytes b) { return {a.value + b.value}; }
inline Bytes operator*(Bytes a, std::uint64_t n) { return {a.value * n}; }

// Signed, so that differences of instants are durations too.
struct Nanoseconds {
  std::int64_t value = 0;
  auto operator<=>(const Nanoseconds&) const = default;
  Nanoseconds& operator+=(Nanoseconds other) {
    value += other.value;
    return *this;
  }
};
inline Nanoseconds operator+(Nanoseconds a, Nanoseconds b) { return {a.value + b.value}; }
inline Nanoseconds operator-(Nanoseconds a, Nanoseconds b) { return {a.value - b.value}; }
inline Nanoseconds operator*(Nanoseconds a, std::int64_t n) { return {a.value * n}; }

}  // namespace quadrille
