// SPDX-License-Identifier: BSD-3-Clause
// How long a job's start waits for datagrams that should have come. A second tells enough where all
// ranks run: four losses of one packet in turn fit into it. A rank that got no processor in it,
// stopped or on a busy host, could not answer: its silence says nothing of the network. So the
// ranks wait in rounds, and agree after each what it was worth; each knows of itself whether it
// ran.
//
// Thread rule: one thread at a time. Time is an argument.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace quadrille::wire {

class ReachRounds {
 public:
  // Where datagrams are blocked and hosts are busy a start takes so many rounds, and no more.
  static constexpr std::uint32_t most_rounds = 12;
  // Who looks less often does not run: a wait for arrivals ends after a millisecond.
  static constexpr Nanoseconds longest_gap{50'000'000};
  // Of a round: with less of it a rank may not have answered in time what it was asked.
  static constexpr std::uint32_t largest_part = 8;

  explicit ReachRounds(Nanoseconds round) : round_(round) {}

  // All ranks are known to have begun it.
  void begin(Nanoseconds now) {
    began_ = looked_ = now;
    held_up_ = {};
    ++rounds_;
  }
  bool has_begun() const { return began_.has_value(); }
  // To be called each time that this rank looks for arrivals.
  void look(Nanoseconds now) {
    if (looked_ && now - *looked_ > longest_gap) held_up_ += now - *looked_;
    looked_ = now;
  }
  bool is_over(Nanoseconds now) const { return began_ && now - *began_ >= round_; }
  // In this round, or since the one before was over.
  bool was_held_up() const { return held_up_ * largest_part > round_; }

  enum class Verdict : std::uint8_t { reached, not_reached, wait };
  // Of what all ranks say after a round: whether any still awaits something, and whether any was
  // held up. The same everywhere.
  Verdict judge(bool any_awaits, bool any_held_up) const {
    if (!any_awaits) return Verdict::reached;
    return any_held_up && rounds_ < most_rounds ? Verdict::wait : Verdict::not_reached;
  }

 private:
  Nanoseconds round_;
  std::optional<Nanoseconds> began_;
  std::optional<Nanoseconds> looked_;
  Nanoseconds held_up_{};
  std::uint32_t rounds_ = 0;
};

}  // namespace quadrille::wire
