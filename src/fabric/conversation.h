// SPDX-License-Identifier: BSD-3-Clause
// What two endpoints of a fabric share: one end of the wire for them alone, with a channel for
// messages, one for control, one for bulk and one for what of a message is more than a packet, its
// rest. Receives of the first two are always open; bulk is received where it was called for, a rest
// when the packet before it has come. No clock and no socket.
//
// On one host each direction takes to memory instead where there is some when the first is sent
// (fabric/memory/shared_path.h); datagrams then only wake who sleeps.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "fabric/matching.h"
#include "fabric/memory/shared_path.h"
#include "fabric/message_format.h"
#include "wire/endpoint.h"

namespace quadrille::fabric {

struct ConversationSettings {
  wire::Secret secret{};
  bool is_first = false;  // one end is
  std::size_t payload = 1448;
  std::size_t unscheduled = 256;  // bytes of messages of a packet that may leave at once
  std::uint32_t most_eager = 0;   // packets of rests that may
  std::uint32_t paths = 1;        // of long messages, see wire::Link::paths()
  std::function<std::optional<ClaimedRing>()> claim = {};  // a ring to the other end; may be empty
  bool flow_control = true;  // else all that is announced is granted at once
};

class Conversation {
 public:
  Conversation(const ConversationSettings& settings, wire::CreditBudget& budget, Nanoseconds now);

  // The longest message that goes without being offered, ever, and now.
  static constexpr std::size_t longest_eager = std::size_t{64} * 1024;
  std::size_t most_eager() const;

  // `payload` is copied. REQUIRES: it is no longer than most_eager().
  void send_message(const Head& head, std::span<const std::byte> payload, Nanoseconds now);
  void send_control(const Control& control, Nanoseconds now);
  // `bytes` live until sent_bulk() or received_bulk() has told of `token`.
  void send_bulk(std::span<const std::byte> bytes, Token token, Nanoseconds now);
  void receive_bulk(std::span<std::byte> bytes, Token token, Nanoseconds now);
  // The rest of the message that has come last; `bytes` live until it is told of.
  void receive_rest(std::span<std::byte> bytes, Nanoseconds now);

  // Nothing where it is not the other end's. What it brings is told by the calls below.
  std::optional<wire::Endpoint::Heard> on_datagram(std::span<std::byte> datagram, Nanoseconds now);
  std::optional<wire::Endpoint::Outgoing> next_datagram(std::span<std::byte> room, Nanoseconds now,
                                                        wire::RunLimit limit = {});
  std::optional<Nanoseconds> deadline() const { return endpoint_.deadline(); }

  // The ring that the other end has claimed here.
  void receive_by(RingReader ring) { in_.emplace(ring); }
  // Whether next() may have something from it, or what waited for room in the other has left.
  bool look_at_memory();
  // The other end has not read all that there is for it, or not written what was called for.
  bool awaits_by_memory() const {
    return (out_ && !out_->is_read()) || (in_ && in_->awaits_bulk());
  }
  // To be called now and then while it does: wakes it if it has done nothing since the last call.
  // Returns whether it has done something.
  bool probe_memory();
  // The other end has read some of what was there for it.
  bool was_read();
  // next_datagram() has nothing now, nor will without another event.
  bool is_silent() { return !wakes_ && !uses_wire_ && was_read(); }

  enum class Event : std::uint8_t {
    message,
    control,
    bulk_sent,
    bulk_received,
    rest_received,  // in order
    broken
  };
  struct Happened {
    Event event = Event::message;
    Token token = 0;                   // of bulk
    std::span<const std::byte> bytes;  // of a message or control, until the next call
  };
  // `broken`: what has come is no message of this protocol.
  std::optional<Happened> next(Nanoseconds now);

  // As Endpoint's, of the other end.
  void set_receive_loss(bool receive_loss) { endpoint_.set_receive_loss(peer_, receive_loss); }
  bool has_receive_loss() const { return endpoint_.has_receive_loss(peer_); }
  bool wants_stream() { return endpoint_.next_wanting_stream().has_value(); }
  void set_stream(bool open) { endpoint_.set_stream(peer_, open); }
  void lose_stream() { endpoint_.lose_stream(peer_); }

  // The other end is lost: nothing is awaited any more, and no credit held for it.
  void give_up();

  // Probes that the other end has left unanswered; nothing where nothing is awaited from it.
  std::optional<std::uint32_t> unanswered() const;
  bool is_idle() const {
    return endpoint_.awaited().empty() && !endpoint_.deadline() && !awaits_by_memory();
  }
  // By memory, both ways.
  std::uint64_t records() const { return records_; }
  const wire::EndpointCounters& counters() const { return endpoint_.counters(); }

 private:
  struct OpenReceives {
    std::deque<std::vector<std::byte>> buffers;  // the first completes first
    bool front_taken = false;                    // its bytes were handed out
  };
  static constexpr std::size_t usual_eager = std::size_t{16} * 1024;
  enum Kind : std::uint8_t { departing, message, control, bulk, rest };
  static constexpr unsigned kinds = 5;

  // Memory to the other end, looked for once; null where there is none.
  SharedSender* out();
  void wake_reader();
  void wake_writer();
  std::optional<Happened> from_memory();

  wire::Handle handle(Kind kind) { return next_handle_++ * kinds + kind; }
  void open(wire::Channel channel, Kind kind, OpenReceives& receives, std::vector<std::byte> buffer,
            Nanoseconds now);
  void reopen(Nanoseconds now);
  void depart(wire::Channel channel, std::vector<std::byte> bytes, Nanoseconds now);
  Happened opened(OpenReceives& receives, Event event, std::size_t length);

  wire::EndpointId peer_;
  std::size_t open_bytes_;  // of a receive for messages
  wire::Endpoint endpoint_;
  std::uint64_t next_handle_ = 1;
  OpenReceives messages_;
  OpenReceives controls_;
  std::unordered_map<wire::Handle, std::vector<std::byte>> departing_;
  std::unordered_map<wire::Handle, Token> bulk_;

  std::function<std::optional<ClaimedRing>()> claim_;
  std::optional<SharedSender> out_;
  std::optional<SharedReceiver> in_;
  bool wakes_ = false;      // the next datagram tells of memory
  bool uses_wire_ = false;  // for anything else
  bool was_read_ = false;
  std::uint64_t moved_ = 0;  // by memory when it was last probed
  std::uint32_t probes_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace quadrille::fabric
