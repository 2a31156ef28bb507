// SPDX-License-Identifier: BSD-3-Clause
// When to ask the other end how things stand: some time after the last news of it, by the round
// trips seen so far, ever later while there are none. That it asks is no news: of what was lost on
// its way to it, it knows nothing. A probe repeats no data, so one too many costs a small
// packet. Time is an argument.
//
// Smoothed round trip and its deviation after RFC 6298.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace quadrille::wire {

struct ProbeTimes {
  Nanoseconds first{60'000'000};  // before any round trip was seen
  Nanoseconds shortest{5'000'000};
  Nanoseconds longest{1'000'000'000};  // between probes, and while nothing is under way
};

// What may be awaited: packets of the other end's, or its word on own ones.
enum class Side : std::uint8_t { in, out };

// From whom the next sign is to come: packets or reports that are under way; the other end, which
// need not say that it has heard before its turn comes; its program.
enum class Awaiting : std::uint8_t { packets, turn, program };

class ProbeTimer {
 public:
  explicit ProbeTimer(const ProbeTimes& times) : times_(times) {}

  void round_trip(Nanoseconds sample) {
    // One end's program may have been stopped: a single such sample says little. Round trips that
    // have become so long are found after a few.
    sample = std::min({sample, interval() * 4, times_.longest});
    if (smoothed_.value == 0) {
      smoothed_ = sample;
      deviation_ = {sample.value / 2};
    } else {
      const std::int64_t error = sample.value - smoothed_.value;
      deviation_.value += ((error < 0 ? -error : error) - deviation_.value) / 4;
      smoothed_.value += error / 8;
    }
  }
  // Any sign of the other end.
  void heard() { unanswered_ = 0; }
  // Something on this side that was not known.
  void news(Side side, Nanoseconds now) {
    quiet_since(side) = now;
    fruitless_ = 0;
  }
  void asked(Nanoseconds now) {
    quiet_in_ = quiet_out_ = now;
    if (unanswered_++ == 0) silent_since_ = now;
    ++fruitless_;
  }
  // Something new depends on the other end from `now` on.
  void began(Side side, Nanoseconds now) { quiet_since(side) = std::max(quiet_since(side), now); }

  // When the next probe is due about a side on which something is awaited. One that found no
  // answer is repeated sooner than the next would be that a program is asked after: it may have
  // been lost.
  Nanoseconds due(Side side, Awaiting awaiting) const {
    const Nanoseconds quiet = side == Side::in ? quiet_in_ : quiet_out_;
    if (awaiting == Awaiting::program && unanswered_ == 0) return quiet + times_.longest;
    // Who answers is there and only has nothing to say yet; what is lost then should not wait long.
    const std::uint32_t doublings = std::min(std::max(unanswered_, std::min(fruitless_, 2U)), 16U);
    const Nanoseconds least = awaiting == Awaiting::packets ? Nanoseconds{0} : times_.first;
    const Nanoseconds once = std::min(std::max(interval(), least), times_.longest);
    return quiet + std::min(Nanoseconds{once.value << doublings}, times_.longest);
  }
  // What was learnt of the way to the other end and back.
  struct RoundTrip {
    std::uint32_t smoothed_us = 0;  // 0: nothing
    std::uint32_t deviation_us = 0;
  };
  RoundTrip round_trip() const {
    return {static_cast<std::uint32_t>((smoothed_.value + 999) / 1000),
            static_cast<std::uint32_t>(deviation_.value / 1000)};
  }
  void resume(const RoundTrip& known) {
    smoothed_ = {std::int64_t{known.smoothed_us} * 1000};
    deviation_ = {std::int64_t{known.deviation_us} * 1000};
  }

  std::uint32_t unanswered() const { return unanswered_; }
  // The first of the unanswered probes.
  Nanoseconds silent_since() const { return silent_since_; }
  // How long a packet and what it brings about take, with a margin.
  Nanoseconds interval() const {
    if (smoothed_.value == 0) return times_.first;
    return std::max(smoothed_ + deviation_ * 4, times_.shortest);
  }

 private:
  Nanoseconds& quiet_since(Side side) { return side == Side::in ? quiet_in_ : quiet_out_; }

  ProbeTimes times_;
  Nanoseconds smoothed_{};
  Nanoseconds deviation_{};
  Nanoseconds quiet_in_{};
  Nanoseconds quiet_out_{};
  Nanoseconds silent_since_{};
  std::uint32_t unanswered_ = 0;  // probes since the last sign
  std::uint32_t fruitless_ = 0;   // probes since the last news
};

}  // namespace quadrille::wire
