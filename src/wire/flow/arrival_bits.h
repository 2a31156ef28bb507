// SPDX-License-Identifier: BSD-3-Clause
// Which of the packets behind the first missing one have arrived: a bit each, in a ring.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "wire/flow/sequence.h"

namespace quadrille::wire {

class ArrivalBits {
 public:
  // Numbers that are looked at or set together lie within so many.
  static constexpr std::size_t window = 1024;

  bool has(Sequence number) const { return (word_of(number) >> number % 64 & 1U) != 0; }
  void add(Sequence number) { words_[number / 64 % words] |= std::uint64_t{1} << number % 64; }
  // Forgets those that follow each other from `first` on; returns the first that is not there.
  Sequence take_row(Sequence first) {
    for (;;) {
      const std::uint64_t row = from(first);
      const int length = std::countr_one(row);
      const std::uint64_t taken = length == 64 ? row : (std::uint64_t{1} << length) - 1;
      words_[first / 64 % words] &= ~(taken << first % 64);
      if (first % 64 != 0) words_[(first / 64 + 1) % words] &= ~(taken >> (64 - first % 64));
      first += static_cast<Sequence>(length);
      if (length < 64) return first;
    }
  }
  // Bit i: whether `first` + i is there.
  std::uint64_t from(Sequence first) const {
    const std::uint64_t lower = word_of(first) >> first % 64;
    if (first % 64 == 0) return lower;
    return lower | words_[(first / 64 + 1) % words] << (64 - first % 64);
  }
  void clear() { words_ = {}; }

 private:
  static constexpr std::size_t words = window / 64;
  std::uint64_t word_of(Sequence number) const { return words_[number / 64 % words]; }

  std::array<std::uint64_t, words> words_{};
};

}  // namespace quadrille::wire
