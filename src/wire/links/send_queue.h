// SPDX-License-Identifier: BSD-3-Clause
// How many datagrams may wait in the host's own queues. What is put in later waits behind them,
// grants above all, and others wait for these: no more than leave in a tenth of a millisecond, but
// two, so that one is there when the other has left. How fast they leave shows where the queue is
// full twice: as many have left as were put in meanwhile. TCP bounds its own in the same way
// (E. Dumazet, TCP small queues, Linux 3.6; there a millisecond).
//
// No clock and no socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace quadrille::wire {

class SendQueue {
 public:
  static constexpr std::size_t least = 2;
  static constexpr std::size_t usual = 4;  // until something is known
  static constexpr std::size_t most = 32;

  std::size_t length() const { return length_; }
  // What waits for room is better written when there is some.
  bool is_short() const { return length_ < usual; }
  // The queue took nothing at `now`, when `sent` datagrams in all had been put in; returns whether
  // its length is another from now on.
  bool is_full(std::uint64_t sent, Nanoseconds now);

 private:
  struct Full {
    std::uint64_t sent = 0;
    Nanoseconds time{};
  };

  std::size_t length_ = usual;
  std::optional<Full> full_;  // from when on the rate is taken
};

}  // namespace quadrille::wire
