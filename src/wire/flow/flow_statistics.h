// SPDX-License-Identifier: BSD-3-Clause
// What the messages of one channel cost an endpoint, and how long they were held up. A channel
// carries the collectives of one communicator, of which one at a time is under way: what is added
// from the beginning of one to its end is its own, whatever other communicators do meanwhile.
//
// Thread rule: one thread at a time. Time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace quadrille::wire {

// Sums, named as in QUADRILLE_LOG=wire.
struct FlowStatistics {
  std::uint64_t packets = 0;  // of data, each time one was sent
  std::uint64_t bytes = 0;    // of payload, likewise
  std::uint64_t resent = 0;   // packets that were sent again
  // In which something waited to be sent and nothing might be, since no partner had granted any.
  Nanoseconds credit_wait{};
  std::uint64_t stalls = 0;  // see ChannelStatistics::stall

  bool operator==(const FlowStatistics&) const = default;
  FlowStatistics& operator+=(const FlowStatistics& other) {
    packets += other.packets;
    bytes += other.bytes;
    resent += other.resent;
    credit_wait += other.credit_wait;
    stalls += other.stalls;
    return *this;
  }
};
// REQUIRES: `b` was read before `a`.
inline FlowStatistics operator-(const FlowStatistics& a, const FlowStatistics& b) {
  return {a.packets - b.packets, a.bytes - b.bytes, a.resent - b.resent,
          a.credit_wait - b.credit_wait, a.stalls - b.stalls};
}

// Where the messages to and from one partner stand.
struct FlowStanding {
  bool unsent = false;     // packets wait that were never sent
  bool may_send = false;   // a packet may go now
  bool under_way = false;  // packets are, to or from here
};

// Of all partners together.
class ChannelStatistics {
 public:
  // A stall: so long, or longer, nothing arrived here and nothing was heard of what had arrived
  // elsewhere, while packets were under way. The bench calls a sample stalled from as much above
  // its median on; a port's buffer is empty sooner, at 10 Mbit/s and 32 KiB after 26 ms. It counts
  // when it ends.
  static constexpr Nanoseconds stall{50'000'000};

  // One flow stands as `is` from `now` on.
  void stands(FlowStanding& flow, const FlowStanding& is, Nanoseconds now);
  // Something arrived, or is known to have.
  void moved(Nanoseconds now);
  void sent(std::uint64_t packets, std::size_t bytes, bool again);
  // A wait for credits counts when it ends: there is none while nothing waits to be sent.
  const FlowStatistics& so_far() const { return so_far_; }

 private:
  FlowStatistics so_far_;
  // Flows that stand so.
  std::uint32_t unsent_ = 0;
  std::uint32_t may_send_ = 0;
  std::uint32_t under_way_ = 0;
  std::optional<Nanoseconds> without_credit_since_;
  Nanoseconds quiet_since_{};  // while something is under way
};

}  // namespace quadrille::wire
