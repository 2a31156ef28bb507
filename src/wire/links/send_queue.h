// SPDX-License-Identifier: BSD-3-Clause
// How many datagrams may wait in the host's own queues. What is put in later waits behind them,
// grants above all, and others wait for these: no more than leave in a tenth of a millisecond, but
// two, so that one is there when the other has left. Where others' packets leave by the same
// interface, first come first served, who has few waiting gets little of it: then more. Only where
// these are not other ranks of the host, which wait for its grants too; together they have more
// waiting anyway.
//
// How fast they leave shows between two moments at which the queue is full, the second as soon as
// there was room: as many have left as were put in. That others take part shows in a rate that once
// was higher. TCP bounds its own in the same way (E. Dumazet, TCP small queues, Linux 3.6; there a
// millisecond).
//
// A message that is cut further on (UDP_SEGMENT) enters the queue whole, however long. So it is no
// longer than what leaves in that time: which is more where the queue is found empty so soon, and
// less where it is found full still.
//
// No clock and no socket.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "wire/links/link.h"

namespace quadrille::wire {

class SendQueue {
 public:
  // `alone`: no other rank sends by the interface.
  explicit SendQueue(bool alone) : alone_(alone) {}

  static constexpr std::size_t least = 2;
  static constexpr std::size_t usual = RunLimit::few;  // until something is known
  static constexpr std::size_t most_among_others = 16;
  static constexpr std::size_t most = 32;

  std::size_t length() const { return length_; }
  // What waits for room is better written when there is some.
  bool is_short() const { return length_ < usual; }
  // Of one message, on the wire.
  std::size_t message_bytes() const { return message_bytes_; }

  // Put in since the start. Bytes are those on the wire.
  struct Sent {
    std::uint64_t datagrams = 0;
    std::uint64_t bytes = 0;
  };
  // It has taken so many bytes, on the wire, and is found empty later, or full.
  void took(std::size_t bytes, Nanoseconds now);
  void found_empty(Nanoseconds now);
  void found_still_full(Nanoseconds now);
  // Whether found_empty() may change something.
  bool may_grow() const { return message_bytes_ < most_message_bytes; }
  // When it was last tried.
  bool is_full() const { return is_full_; }
  // The queue takes something again. REQUIRES: is_full().
  void found_room(Nanoseconds now);
  // It took nothing. REQUIRES: !is_full(). Returns whether its length is another from now on.
  bool found_full(Sent sent, Nanoseconds now);

 private:
  // Bytes on the wire.
  class Rate {
   public:
    void add(std::uint64_t bytes, Nanoseconds time);
    // Enough to tell by.
    bool is_known() const;
    double per_ns() const;

   private:
    std::uint64_t bytes_ = 0;
    Nanoseconds time_{};
  };

  static constexpr std::size_t large_datagram = 1538;  // on the wire
  static constexpr std::size_t least_message_bytes = usual * large_datagram;
  static constexpr std::size_t most_message_bytes = longest_run * large_datagram;

  void compare_with_best(double per_ns);
  // If `taken_` has just left.
  double taken_leave_in_time(Nanoseconds now) const;
  void set_message_bytes(double bytes);
  bool set(std::size_t wanted);

  bool alone_;
  std::size_t length_ = usual;
  std::size_t among_others_ = 0;  // datagrams more
  std::size_t message_bytes_ = most_message_bytes;
  std::size_t taken_ = 0;  // bytes, at once
  Nanoseconds taken_at_{};
  double best_per_ns_ = 0;
  Rate all_;
  Rate in_time_;  // what left while there certainly was something left
  Sent sent_at_full_;
  Nanoseconds full_since_{};
  Nanoseconds room_since_{};
  bool is_full_ = false;
  bool is_measured_ = false;
  bool is_changed_ = true;  // since it was full
};

}  // namespace quadrille::wire
