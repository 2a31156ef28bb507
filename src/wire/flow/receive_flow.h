// SPDX-License-Identifier: BSD-3-Clause
// The receiving end of one direction of a channel: packets go to their places in the messages that
// the caller expects, in whatever order they come, each once. What came unscheduled before its
// message was expected is kept, within a bound. No clock and no socket.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "wire/flow/arrival_bits.h"
#include "wire/flow/fifo.h"
#include "wire/flow/send_flow.h"
#include "wire/flow/sequence.h"
#include "wire/packet.h"

namespace quadrille::wire {

class ReceiveFlow {
 public:
  explicit ReceiveFlow(const FlowLimits& limits)
      : limits_(limits), most_early_bytes_(limits.unscheduled) {}

  // The next message goes to `buffer`. Its length is the buffer's, else it completes as a mismatch.
  void expect(std::span<std::byte> buffer, Handle handle);
  // The same of a message to a group, whose sender may be `ahead` packets ahead. It will come: what
  // may not come unscheduled is granted before it is announced, unless that is `announced` to all.
  // Of those behind it some may come early.
  void expect_of_group(std::span<std::byte> buffer, Handle handle, std::uint32_t ahead,
                       bool announced) {
    expect(buffer, handle);
    if (!announced && (acknowledged_ <= began_ || expected_end_ - acknowledged_ > ahead))
      counted_on_ = expected_end_;
    most_early_bytes_ = std::max(limits_.unscheduled, ahead * limits_.payload);
  }

  // The same of a message that its sender has, or is about to have whatever comes or does not come
  // here: it is granted before it is announced.
  void expect_certain(std::span<std::byte> buffer, Handle handle) {
    expect(buffer, handle);
    counted_on_ = certain_ = expected_end_;
  }
  // The next message, should one come, is of one packet, and no longer than `buffer`.
  // REQUIRES: buffer.size() <= FlowLimits::payload.
  void expect_up_to(std::span<std::byte> buffer, Handle handle);

  struct Packet {
    Sequence sequence = 0;
    std::uint32_t place = 0;
    bool last = false;
    std::span<const std::byte> payload;
  };
  // Where the payload of a packet of that place and length goes, should it come now; null: it is
  // kept somewhere else, or is not taken.
  std::byte* room_for(const Packet& packet) const;
  enum class Arrival : std::uint8_t { fresh, duplicate, refused };
  // `refused`: more than was granted or may come unscheduled; it comes again when it may. Its
  // payload may be where room_for() has said.
  Arrival on_packet(const Packet& packet);

  // The sender has packets before `end` to send.
  void on_announcement(Sequence end);

  // Packets that could be granted now: announced or counted on, and their messages expected.
  std::uint64_t wanted() const;
  // REQUIRES: packets <= wanted().
  void grant(std::uint64_t packets) { granted_ += packets; }
  // Granted and not arrived.
  std::uint64_t outstanding() const;
  // Some of these are known to be there.
  bool is_under_way() const { return outstanding() > 0 && announced_ > acknowledged_; }
  // Messages may come, see expect_up_to().
  bool is_open() const { return open_ > 0; }

  // Packets before it are at their sender for all that is known here: of a message that has begun
  // to come all are.
  Sequence there() const {
    const Sequence begun = expects() && has_begun() ? messages_.front().end : 0;
    return std::max({announced_, certain_, begun});
  }

  struct Completed {
    Handle handle = 0;
    bool matches = true;
    std::size_t length = 0;
  };
  std::optional<Completed> next_completed();

  bool expects() const { return !messages_.empty(); }
  // Something that is certain to come, or known to be there.
  bool awaits() const {
    return messages_.size() > open_ || (expects() && announced_ > acknowledged_);
  }
  // REQUIRES: expects(). For order among channels.
  Handle first_expected() const { return messages_.front().handle; }
  // Something of the first message is known to be there. REQUIRES: expects().
  bool has_begun() const { return announced_ > messages_.front().first; }
  // REQUIRES: expects().
  std::uint64_t first_packets() const { return messages_.front().end - messages_.front().first; }
  // Some of what is expected, whether it is announced or not.
  bool has_ungranted() const { return messages_.size() > open_ && expected_end_ > granted_; }
  Sequence acknowledged() const { return acknowledged_; }
  Sequence granted() const { return granted_; }
  Sequence heard() const { return announced_; }
  // Something has arrived behind a packet that has not.
  bool has_gap() const { return arrived_beyond_ > 0; }

  // The communicator was freed, whose messages these were: what comes next is another's.
  void begin_anew() { began_ = expected_end_; }
  // Nothing but acknowledged() is worth remembering.
  bool is_settled() const {
    return messages_.empty() && completed_.empty() && early_.empty() && !has_gap() &&
           announced_ == acknowledged_ && granted_ == acknowledged_ &&
           expected_end_ == acknowledged_;
  }
  // A message had another number of packets than was expected, or may have been a piece of one: the
  // ends may take different ones for the next.
  bool is_out_of_step() const { return out_of_step_; }
  // Nothing comes any more: what is expected ends as a mismatch.
  void fail();
  // Goes on where one ended that was settled. REQUIRES: nothing was expected and nothing has come.
  void resume(Sequence end) {
    acknowledged_ = announced_ = granted_ = expected_end_ = began_ = end;
  }
  // How many words of `words` tell of arrivals behind the first missing packet.
  std::size_t arrived(std::span<std::uint64_t> words) const;

 private:
  struct Message {
    Sequence first = 0;
    Sequence end = 0;
    std::span<std::byte> buffer;
    Handle handle = 0;
    bool matches = true;
    bool open = false;  // see expect_up_to()
    std::size_t length = 0;
  };
  struct Early {
    std::uint32_t place = 0;
    bool last = false;
    std::vector<std::byte> payload;
  };

  bool is_here(Sequence sequence) const {
    return sequence < acknowledged_ ||
           (sequence < acknowledged_ + limits_.most_open && here_.has(sequence));
  }
  void mark(Sequence sequence);
  void add(std::span<std::byte> buffer, Handle handle, bool open);
  static bool is_its_place(Sequence index, const Packet& packet, bool last);
  static bool fits(const Message& message, Sequence index, const Packet& packet,
                   std::size_t payload);
  void place(const Packet& packet);
  // Null: none that is expected, or one that completed as a mismatch.
  const Message* message_of(Sequence sequence) const;
  Message* message_of(Sequence sequence) {
    return const_cast<Message*>(std::as_const(*this).message_of(sequence));
  }
  void complete_arrived();
  bool keep_early(const Packet& packet);

  FlowLimits limits_;
  Fifo<Message> messages_;  // not complete
  std::size_t open_ = 0;    // of them
  bool out_of_step_ = false;
  std::map<Sequence, Early> early_;
  std::size_t early_bytes_ = 0;
  std::size_t most_early_bytes_;
  Fifo<Completed> completed_;
  ArrivalBits here_;  // of [acknowledged_, ...): the first is missing
  std::uint64_t arrived_beyond_ = 0;
  Sequence acknowledged_ = 0;
  Sequence announced_ = 0;
  Sequence counted_on_ = 0;
  Sequence certain_ = 0;
  Sequence granted_ = 0;
  Sequence expected_end_ = 0;
  Sequence began_ = 0;  // packets from it on are the present communicator's
};

}  // namespace quadrille::wire
