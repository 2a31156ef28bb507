// SPDX-License-Identifier: BSD-3-Clause
// How fast a link brings what follows each other closely: the shortest time in which so many bytes
// have arrived, by the clock of who took them from the interface. A process that is late in reading
// changes nothing of it, unlike a rate of what was read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/divide_up.h"
#include "base/units.h"
#include "wire/links/link.h"

namespace quadrille::wire {

class BurstTimes {
 public:
  // Bytes on the wire that were there at `time`; of several datagrams that arrived at once one
  // time. Steps of the clock end what was going on.
  void add(std::size_t bytes, Nanoseconds time) {
    const bool goes_on = time >= last_ && time - last_ <= longest_gap;
    last_ = time;
    if (!goes_on) return begin(time);  // the first ones' own time is not known
    bytes_ += bytes;
    if (bytes_ < wanted_) return;
    shortest_ = std::min(shortest_, time - since_);
    begin(time);
  }

  // The same of a message of `payload` bytes that came as datagrams of `each`, or as one.
  void add_message(std::size_t payload, std::size_t each, Nanoseconds time) {
    const std::size_t datagrams = payload == 0 ? 1 : divide_up(payload, each);
    add(payload + datagrams * framing_bytes, time);
  }

  // The shortest time in which `bytes` have arrived since this was last asked for as many; nothing:
  // they have not.
  std::optional<Nanoseconds> take(std::size_t bytes) {
    const Nanoseconds found = std::exchange(shortest_, none);
    if (bytes == wanted_) return found == none ? std::nullopt : std::optional(found);
    wanted_ = bytes;
    begin(last_);
    return std::nullopt;
  }

 private:
  // What comes later is another burst.
  static constexpr Nanoseconds longest_gap{200'000};
  static constexpr Nanoseconds none{std::numeric_limits<std::int64_t>::max()};

  void begin(Nanoseconds time) {
    since_ = time;
    bytes_ = 0;
  }

  std::size_t wanted_ = 0;
  std::size_t bytes_ = 0;
  Nanoseconds since_{};
  Nanoseconds last_ = Nanoseconds{0} - longest_gap * 2;  // before anything
  Nanoseconds shortest_ = none;
};

}  // namespace quadrille::wire
