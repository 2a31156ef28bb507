// SPDX-License-Identifier: BSD-3-Clause
// The sending end of one direction of a channel: messages cut into packets, which go out as far as
// the receiver has granted and are repeated only where it is known that they were lost. No clock
// and no socket: numbers go in, numbers come out.
//
// A packet counts as lost when three packets have arrived that were sent after it (RFC 8985 orders
// by transmissions in the same way, so that what was sent again can be lost again), or when the
// receiver answers a probe that was sent after it and has not got it.
//
// Packets may take several paths, which the network may treat as different flows: each run the next
// one. What has overtaken a packet on another path tells nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "wire/flow/fifo.h"
#include "wire/flow/probe_timer.h"
#include "wire/flow/sequence.h"
#include "wire/links/link.h"
#include "wire/packet.h"

namespace quadrille::wire {

// A caller's own name for a message it sends or receives.
using Handle = std::uint64_t;

struct FlowLimits {
  std::size_t payload = 1440;  // bytes of a full packet
  // Bytes that a channel may have under way without a grant, the framing of all packets but the
  // last one counted; and how many packets these may be, each a message.
  std::size_t unscheduled = 0;
  std::uint32_t most_unscheduled = 8;
  // Whether a message of several packets may begin to leave so: as many packets as that, whatever
  // their bytes, and `eager_growth` times as many where the receiver has said that it has room.
  bool eager = false;
  // Packets sent or granted of which not all have arrived; at most ArrivalBits::window.
  std::uint32_t most_open = 1024;
  // Packets that a sender to a group may be ahead of what each receiver has granted.
  std::uint32_t group_ahead = 0;
};

// How many times what may come at once is spared where a budget has grown as much.
constexpr std::uint32_t eager_growth = 4;

// What a packet takes beside its payload: Ethernet with preamble and gap, IPv4 and UDP, its own.
constexpr std::size_t packet_framing_bytes = framing_bytes + overhead_bytes;

// Of a message of `length` bytes; one that is empty takes a packet too.
constexpr std::uint64_t packets_of(std::size_t length, std::size_t payload) {
  return length == 0 ? 1 : (length + payload - 1) / payload;
}

class SendFlow {
 public:
  explicit SendFlow(const FlowLimits& limits) : limits_(limits) {}

  // REQUIRES: `data` stays as it is until the message is complete.
  void add(std::span<const std::byte> data, Handle handle);
  // Where the message added last may leave at once, unscheduled, it is copied and complete; returns
  // whether it is.
  bool keep_unscheduled();

  struct Packet {
    Sequence sequence = 0;
    std::uint32_t place = 0;
    bool last = false;
    bool repeated = false;  // it was lost
    bool again = false;     // it was sent before, and lost or refused
    std::span<const std::byte> payload;
    Handle handle = 0;  // of its message
    std::uint32_t path = 0;
  };
  bool may_send() const;
  // Whether the next packet that was never sent may go; whether all of these may.
  bool may_send_next() const;
  bool may_send_all() const;
  // Packets are lost ones first. REQUIRES: may_send(). The packet counts as sent.
  Packet next();
  // How many paths packets take from now on. REQUIRES: 0 < paths <= most_paths.
  void set_paths(std::uint32_t paths) {
    paths_ = paths;
    path_ %= paths;
  }

  // Packets of one message in a row that may go together, by one path.
  struct Run {
    Sequence first = 0;
    std::uint32_t place = 0;
    std::uint32_t packets = 0;
    bool last = false;  // the message ends with it
    bool repeated = false;
    std::span<const std::byte> payload;
    Handle handle = 0;
    std::uint32_t path = 0;
  };
  // No fewer than `least` and no more than `most` packets; nothing: there are fewer. They count as
  // sent.
  std::optional<Run> next_run(std::uint32_t least, std::uint32_t most);
  // How many packets of one message that were never sent may go, `most` at most; those too that may
  // go `ahead` of what was granted, see may_go_ahead().
  std::uint32_t new_run_length(std::uint32_t most, std::uint64_t ahead = 0) const;
  // So many of these. REQUIRES: 0 < packets <= new_run_length().
  Run new_run(std::uint32_t packets);

  // The next packet that was never sent, though it may not have been granted: it goes with others'.
  // REQUIRES: has_room().
  Packet next_new();
  // A packet that was never sent waits, and can be kept account of.
  bool has_room() const { return sent_ < end_ && open_.size() < limits_.most_open; }
  // As many packets are open as can be, none of them granted: until its program comes, nothing
  // changes that.
  bool is_refused_to_the_brim() const {
    return open_.size() >= limits_.most_open && granted_ <= acknowledged_;
  }
  // Whether a packet may go that is at most the `most`-th beyond what has arrived or was granted.
  // Before the first grant of a communicator nothing may: the receiver may not know the group yet.
  bool may_go_ahead(std::uint64_t most) const { return sent_ < end_ahead(most); }
  // The packet that goes again now; nothing: none.
  std::optional<Sequence> repeats() const {
    return may_repeat() ? std::optional(*lost_.begin()) : std::nullopt;
  }

  struct News {
    Sequence acknowledged = 0;
    Sequence granted = 0;
    Sequence heard = 0;
    std::span<const std::uint64_t> arrived;  // as in ACK
    std::uint64_t answers = 0;
    // What was granted travels in a connection: it is late where it has not arrived, not lost.
    bool in_stream = false;
  };
  // Returns whether it told something that was not known: an arrival, a grant, a loss. Numbers
  // beyond what was sent are not believed.
  bool on_news(const News& news);
  // The probe with this running number leaves now.
  void asked(std::uint64_t number);

  std::optional<Handle> next_completed();

  // Whether the receiver has room for more that is eager.
  void set_eager_room(bool much) { has_eager_room_ = much; }
  bool has_eager_room() const { return has_eager_room_; }

  // Whether that has gone again before. REQUIRES: repeats().
  bool repeats_anew() const { return open_[*lost_.begin() - acknowledged_].again; }

  // Packets before this number wait to be sent or were.
  Sequence announced() const { return end_; }
  Sequence sent() const { return sent_; }
  Sequence acknowledged() const { return acknowledged_; }
  Sequence granted() const { return granted_; }
  bool idle() const { return acknowledged_ == end_; }

  // The communicator was freed, whose messages these were: what comes next is another's.
  void begin_anew() { began_ = end_; }
  // Nothing but announced() is worth remembering.
  bool is_settled() const { return idle() && granted_ <= end_ && completed_.empty(); }
  // Nothing goes any more; returns the messages that are not complete for their callers.
  std::vector<Handle> fail();
  // Goes on where one ended that was settled. REQUIRES: nothing was added.
  void resume(Sequence end) { end_ = heard_ = granted_ = sent_ = acknowledged_ = began_ = end; }
  // REQUIRES: not idle().
  Awaiting awaiting() const {
    if (sent_ > acknowledged_ && !is_refused()) return Awaiting::packets;
    return end_ > heard_ ? Awaiting::turn : Awaiting::program;
  }
  // Packets are under way that no probe has followed.
  bool sent_unprobed() const {
    return sent_ > acknowledged_ && transmissions_ > sent_before_probe_;
  }
  // A probe about what is under way has found no answer.
  bool probes_in_vain() const { return sent_ > acknowledged_ && !probes_.empty(); }
  std::uint64_t resent() const { return resent_; }
  // Packets that had to go again, though the receiver had begun to listen, since one arrived that
  // went once or hears_groups(). What was sent before that may have been heard and refused.
  std::uint64_t missed() const { return missed_; }
  void hears_groups() {
    missed_ = 0;
    told_by_missing_from_ = transmissions_;
  }

 private:
  struct Message {
    Sequence first = 0;
    Sequence end = 0;
    std::span<const std::byte> data;
    Handle handle = 0;
    std::vector<std::byte> copy = {};  // where `kept`, `data` is this
    bool kept = false;
  };
  struct Probe {  // unanswered
    std::uint64_t number = 0;
    std::uint64_t sent_before = 0;  // transmissions
  };
  struct Open {  // a packet that was sent and of which all before have not arrived
    std::uint64_t transmission = 0;
    bool unscheduled = false;
    bool arrived = false;
    bool again = false;  // it was sent more than once
    bool listened_for = false;
    std::uint8_t path = 0;
  };

  using SentBefore = std::array<std::uint64_t, most_paths>;  // transmissions, by path

  void has_arrived(const Open& open);
  void take_next_path() { path_ = (path_ + 1) % paths_; }
  // The next packet that was never sent counts as sent.
  void open_next();
  void goes_again(Open& open);
  // Whether all that was sent has arrived or waits to be granted.
  bool is_refused() const {
    if (lost_.empty() || may_repeat()) return false;
    const auto arrived =
        std::ranges::count_if(open_, [](const Open& open) { return open.arrived; });
    return open_.size() == lost_.size() + static_cast<std::size_t>(arrived);
  }
  // Whether the next `packets` that were never sent may go without a grant.
  bool may_send_unscheduled(std::uint64_t packets) const;
  // Packets before it may go so of what is eager.
  Sequence eager_end() const {
    const std::uint64_t most =
        std::uint64_t{limits_.most_unscheduled} * (has_eager_room_ ? eager_growth : 1);
    return limits_.eager ? std::min(acknowledged_ + most, end_) : 0;
  }
  // What was sent unscheduled and is known there was refused: it goes again when it is granted.
  bool may_repeat() const {
    return !lost_.empty() && (*lost_.begin() < granted_ || *lost_.begin() >= heard_);
  }
  void acknowledge_before(Sequence end);
  bool mark_arrived(std::span<const std::uint64_t> words);
  // Transmissions before the last of the probes that are answered now; 0: there is none.
  std::uint64_t sent_before_answered(std::uint64_t answers);
  void find_lost(const SentBefore& sent_before, bool in_stream);
  Packet packet(Sequence sequence) const;
  const Message& message_of(Sequence sequence) const;
  // Packets before it may go that are at most `most` beyond what has arrived or was granted.
  Sequence end_ahead(std::uint64_t most) const {
    const Sequence covered = std::max(granted_, acknowledged_);
    return covered > began_ ? covered + most : 0;
  }
  std::span<const std::byte> payload_of(const Message& message, Sequence first,
                                        std::uint64_t packets) const;
  // How many packets of one message that were lost in a row may go again.
  std::uint32_t repeated_run_length(std::uint32_t most) const;
  Run repeated_run(std::uint32_t packets);
  Run run(Sequence first, std::uint32_t packets, bool repeated) const;

  FlowLimits limits_;
  Fifo<Message> messages_;  // not complete
  Fifo<Open> open_;         // of [acknowledged_, sent_)
  std::set<Sequence> lost_;
  Fifo<Handle> completed_;
  Sequence end_ = 0;
  Sequence heard_ = 0;
  Sequence granted_ = 0;
  Sequence sent_ = 0;
  Sequence acknowledged_ = 0;
  Sequence began_ = 0;  // packets from it on are the present communicator's
  std::uint64_t transmissions_ = 0;
  SentBefore latest_arrived_{};          // 1 + the highest transmission that has arrived
  Fifo<Probe> probes_;                   // each with more sent before it than the one before it
  std::uint64_t sent_before_probe_ = 0;  // the newest, answered or not
  std::uint64_t resent_ = 0;
  std::uint64_t missed_ = 0;
  std::uint32_t paths_ = 1;
  std::uint32_t path_ = 0;  // of what leaves next
  bool has_eager_room_ = false;
  std::uint64_t told_by_missing_from_ = 0;  // the first transmission whose loss tells something
};

}  // namespace quadrille::wire
