// SPDX-License-Identifier: BSD-3-Clause
// When the ranks of a communicator ask each other whether multicast still reaches them all: before
// the first call that uses it, and again after 64 such calls or 4 MiB, whatever comes first, so
// that asking is a small share of what the calls take. A state machine without messages.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace quadrille {

class MulticastWatch {
 public:
  // Takes note of the next call by multicast, of `size`; whether the ranks ask before it. All say
  // so for the same calls.
  bool is_due(Bytes size) {
    const bool due = calls_left_ == 0 || bytes_ >= most_bytes;
    if (due) {
      calls_left_ = most_calls;
      bytes_ = 0;
    }
    --calls_left_;
    bytes_ += size.value;
    return due;
  }

 private:
  static constexpr std::uint32_t most_calls = 64;
  static constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20U;
  std::uint32_t calls_left_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace quadrille
