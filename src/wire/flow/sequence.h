// SPDX-License-Identifier: BSD-3-Clause
// Packets are numbered from 0 on with 64 bits; packets carry the lower bits of those numbers.
#pragma once

#include <cstdint>

namespace quadrille::wire {

// Of a packet in one direction of one channel.
using Sequence = std::uint64_t;

// The number nearest to `reference` whose lower `bits` are `low`; what would lie below 0 lies one
// turn higher (RFC 3711, 3.3.1 does the same). REQUIRES: bits < 63, low < 2^bits.
constexpr Sequence widen(Sequence reference, std::uint64_t low, unsigned bits) {
  const std::uint64_t turn = std::uint64_t{1} << bits;
  const Sequence candidate = (reference & ~(turn - 1)) | low;
  if (candidate > reference + turn / 2) return candidate >= turn ? candidate - turn : candidate;
  if (candidate + turn / 2 < reference) return candidate + turn;
  return candidate;
}

constexpr std::uint64_t lower(Sequence sequence, unsigned bits) {
  return sequence & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace quadrille::wire
