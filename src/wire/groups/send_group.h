// SPDX-License-Identifier: BSD-3-Clause
// Several receivers of the same messages of one sender: a packet that all of them are to get next
// leaves once, for all. Each of them keeps a flow of its own beside it, by which it grants, reports
// what arrived and is sent again what only it has missed, so that nothing depends on all of them
// hearing what goes to all.
//
// Packets leave when all have granted them, but for `ahead`. Who has not some time after the first
// of them is late, or its grant was lost: from then on packets go as soon as anyone has granted
// them, to the others unscheduled; what those do not take they are sent again when they grant it.
// When that is as much as can be kept account of, each gets the rest alone: credit of the others
// must not wait for the late one's program, which may wait for theirs.
//
// Thread rule: one thread at a time. Time is an argument.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "wire/flow/flow.h"

namespace quadrille::wire {

class SendGroup {
 public:
  // With one sender; of several each has to wait for its turn with every receiver.
  static constexpr Nanoseconds patience{2'000'000};
  static constexpr std::uint32_t most_turns = 16;

  // REQUIRES: not empty; the flows outlive it.
  SendGroup(std::vector<Flow*> flows, const Key& key) : flows_(std::move(flows)), key_(key) {}

  const std::vector<Flow*>& flows() const { return flows_; }
  const Key& key() const { return key_; }
  bool has(EndpointId peer) const {
    return std::ranges::any_of(flows_, [&](const Flow* flow) { return flow->key.first == peer; });
  }
  // A member has abandoned the channel.
  bool has_failed() const {
    return std::ranges::any_of(flows_, [](const Flow* flow) { return flow->failed; });
  }
  // Packets before it wait for all members, or were sent to them.
  Sequence announced() const;
  // Whether what is sent next has the same packet numbers for all.
  bool is_even() const;
  // Something more is about to be sent; the patience that others' lateness has cost is over if none
  // is late any more.
  void begin();
  // From now on what was never sent leaves for all at once, or for each alone.
  void join();
  void part();

  // From now on `ends` send at the same time, and this one may be `ahead` packets ahead of what
  // each receiver has granted.
  void share_with(std::uint32_t ends, std::uint32_t ahead) {
    turns_ = std::min(ends, most_turns);
    ahead_ = ahead;
  }
  // What waits is to be announced to all.
  void announce() { announces_ = true; }
  bool take_announcement() { return std::exchange(announces_, false); }

  // Whether the next packet that was never sent may go to all.
  bool may_send(Nanoseconds now);
  // How many may go to all as one run, `most` at most: none where a receiver's budget has not
  // grown, as it gains nothing there, and runs of several senders could overflow its port.
  // REQUIRES: may_send().
  std::uint32_t run_length(std::uint32_t most) const;
  // When that changes by itself; nothing: never.
  std::optional<Nanoseconds> deadline() const;
  // Whether what some have granted cannot go to all before the program of one comes that is late by
  // all that can be kept account of.
  bool is_held_up() const;
  // Those that are to get packet `sequence` again now, and have not got it so before: whom it has
  // not reached twice this way may not be reached by it at all.
  std::vector<Flow*> repeating(Sequence sequence) const;

 private:
  Nanoseconds end_of_patience() const { return *held_since_ + patience * turns_; }

  std::vector<Flow*> flows_;
  bool joined_ = false;
  Key key_;
  std::uint32_t turns_ = 1;
  std::uint32_t ahead_ = 0;
  bool announces_ = false;
  std::optional<Nanoseconds> held_since_;  // some have granted the next packet, others have not
  bool holds_ = false;                     // it may go when `patience` ends
};

}  // namespace quadrille::wire
