// SPDX-License-Identifier: BSD-3-Clause
// Whether one peer hears what goes to groups, as their sender can tell. Three things look alike at
// first, packets that have to go to it again alone:
//
//   - the network has stopped to forward multicast to it: it answers in time, and hears none;
//   - its host gives it no processor: it hears none, and its answers come late too;
//   - it came late to a call and refused what it heard: it says that it hears (SendFlow::missed()
//     does not count what was sent before).
//
// So what counts is not the time since the first that it missed, but the time in which it answered:
// the sum of the gaps between its signs that are short. A process that was stopped, or this one
// when it was, leaves one long gap, which tells nothing.
//
// Of a peer that does not hear, probes find out when it does again: something that tells nothing
// new goes to the group, and a probe to the peer alone, which answers whether it has heard it.
//
// Thread rule: one thread at a time. Time is an argument.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/units.h"

namespace quadrille::wire {

class GroupHearing {
 public:
  static constexpr std::uint64_t most_missed = 32;
  static constexpr Nanoseconds missed_for{200'000'000};
  // Between two signs of a peer that is asked every 5 to 25 ms and has a processor.
  static constexpr Nanoseconds longest_gap{50'000'000};
  static constexpr Nanoseconds first_pause{1'000'000'000};
  static constexpr Nanoseconds longest_pause{64'000'000'000};
  // One may get through where few do.
  static constexpr std::uint32_t probes_heard = 3;
  static constexpr Nanoseconds between_probes{50'000'000};

  // Any datagram of the peer's.
  void sign(Nanoseconds now) {
    if (last_sign_) {
      const Nanoseconds gap = now - *last_sign_;
      if (gap <= longest_gap) answered_ += gap;
      late_ = std::max(late_, gap);
    }
    last_sign_ = now;
  }

  // Where a row of missed packets begins.
  struct Since {
    Nanoseconds time{};
    Nanoseconds answered{};
  };
  Since since(Nanoseconds now) {
    late_ = {};
    return {now, answered_};
  }
  enum class Verdict : std::uint8_t { hears, is_late, does_not_hear };
  // It has missed so many in a row.
  Verdict judge(std::uint64_t missed, const Since& since, Nanoseconds now) const {
    if (missed < most_missed || now - since.time < missed_for) return Verdict::hears;
    return answered_ - since.answered < missed_for ? Verdict::is_late : Verdict::does_not_hear;
  }
  // The longest gap between two signs since the latest since().
  Nanoseconds late() const { return late_; }

  // It does not hear: probes begin after a pause, longer each time, unless it has heard for long.
  void lost(Nanoseconds now) {
    if (!heard_again_ || now - *heard_again_ > longest_pause) pause_ = first_pause;
    probe_at_ = now + pause_;
    in_row_ = 0;
    awaits_ = false;
  }
  // When to probe; nothing while it hears.
  std::optional<Nanoseconds> probe_at() const { return probe_at_; }
  // probe_at() has come: whether a probe leaves now. None does where there is no group that has the
  // peer, and after one that was not answered.
  bool probe(Nanoseconds now, bool has_group) {
    if (std::exchange(awaits_, false)) {
      in_row_ = 0;
      pause_ = std::min(pause_ * 2, longest_pause);
      has_group = false;
    }
    awaits_ = has_group;
    probe_at_ = now + (awaits_ ? between_probes : pause_);
    return awaits_;
  }
  // It says that it has heard something that went to a group. Returns whether it hears again.
  bool heard(Nanoseconds now) {
    if (!probe_at_ || !std::exchange(awaits_, false)) return false;
    if (++in_row_ < probes_heard) return false;
    probe_at_.reset();
    heard_again_ = now;
    pause_ = std::min(pause_ * 2, longest_pause);
    return true;
  }

 private:
  std::optional<Nanoseconds> last_sign_;
  Nanoseconds answered_{};  // the sum of short gaps
  Nanoseconds late_{};
  Nanoseconds pause_ = first_pause;
  std::optional<Nanoseconds> probe_at_;
  std::optional<Nanoseconds> heard_again_;
  std::uint32_t in_row_ = 0;
  bool awaits_ = false;  // an answer to a probe
};

}  // namespace quadrille::wire
