// SPDX-License-Identifier: BSD-3-Clause
// An endpoint of a fabric: messages to and from others, matched by receives. It does no input or
// output and knows no clock: datagrams and the time go in, datagrams, what is done and the next
// deadline come out.
//
// A message that is short, and for which the receiver keeps memory (EagerCredit), goes at once. Any
// other is offered; the receiver calls for it when a receive has taken it, and as much of it comes
// as that has room for. Messages from one endpoint to another match in the order in which they were
// sent, with tags and without apart.
//
// Exceptions: what throws in the middle of a call leaves nothing that may be relied upon, and has
// the messenger break off. send() and receive() throw only if nothing of theirs is under way.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "fabric/conversation.h"
#include "fabric/done.h"
#include "fabric/eager_credit.h"
#include "fabric/matching.h"
#include "fabric/memory/inbox.h"
#include "fabric/message_format.h"
#include "fabric/names/keys.h"
#include "wire/budget/credit_budget.h"
#include "wire/budget/host_board.h"
#include "wire/engine/protocol.h"

namespace quadrille::fabric {

struct MessengerSettings {
  EndpointName name;  // its key is of the key pair
  std::optional<wire::Secret> job_secret;
  std::size_t burst_bytes = std::size_t{32} * 1024;  // that the network holds in front of this host
  std::uint32_t most_budget = 0;     // packets that what may be on its way may grow to
  std::uint32_t paths = 1;           // of long messages to other hosts, see wire::Link::paths()
  std::size_t local_payload = 1448;  // of packets that stay on this host
  Inbox* inbox = nullptr;            // its place is in the name
  bool flow_control = true;          // else receivers let every sender send all it has
  wire::HostBoard* board = nullptr;  // of this host's; null: a part for each of its ranks
};

struct SendRequest {
  PeerNumber to = 0;
  std::span<const std::byte> bytes;
  bool tagged = false;
  std::uint64_t tag = 0;
  std::optional<std::uint64_t> data;
  bool copies = false;           // the caller's memory is free when the call returns
  bool until_delivered = false;  // done when it has been received
  Report report;
};

struct ReceiveRequest {
  std::span<std::byte> buffer;
  bool tagged = false;
  Pattern pattern;  // without a tag it fits all
  // It takes messages one behind the other until less than so much room is left.
  std::optional<std::size_t> least_room = {};
  Report report;
};

class Messenger final : public wire::Protocol {
 public:
  // `keys` outlive it. REQUIRES: wire::start_cryptography() has returned true.
  Messenger(const MessengerSettings& settings, const KeyPair& keys);

  const EndpointName& name() const { return settings_.name; }
  // The endpoint of that name, the same number each time; nothing where its key is unusable.
  std::optional<PeerNumber> peer(const EndpointName& name, Nanoseconds now);
  const EndpointName& name_of(PeerNumber peer) const { return peers_[peer]->name; }

  void send(const SendRequest& request, Nanoseconds now);
  void receive(const ReceiveRequest& request, Nanoseconds now);

  struct Found {
    Head head;
    PeerNumber from = 0;
  };
  // The message that a receive would take now. With `claim_as` no other receive takes it any more.
  std::optional<Found> peek(bool tagged, const Pattern& pattern, const void* claim_as);
  // Takes what was claimed so; false where nothing was.
  bool receive_claimed(const void* claimed_as, const ReceiveRequest& request, Nanoseconds now);
  // Drops it; likewise.
  bool discard_claimed(const void* claimed_as, Nanoseconds now);
  // The receive of this context, if it still waits.
  bool cancel(const void* context);

  std::optional<Heard> on_datagram(wire::NetworkAddress from, std::span<std::byte> datagram,
                                   Nanoseconds now) override;
  void learn(const Bursts& bursts, Nanoseconds now) override;
  // Takes in what others of this host have written to memory; returns whether they had.
  bool look_at_memory(Nanoseconds now);
  void on_refusal(wire::NetworkAddress to) override;

  std::optional<PeerNumber> next_wanting_stream() override {
    return std::exchange(wants_stream_, std::nullopt);
  }
  void set_stream(PeerNumber peer, bool open) override;
  void lose_stream(PeerNumber peer) override;
  // Who hails says by an introduction (fabric/names/introduction.h) who it is.
  std::optional<PeerNumber> next_silent() override;
  wire::PortAddress address_of(PeerNumber peer) const override;
  void set_receive_loss(PeerNumber peer, bool receive_loss) override;
  bool has_receive_loss(PeerNumber peer) const override;
  bool is_lost(PeerNumber peer) const override { return peers_[peer]->lost; }
  void on_refused_stream(PeerNumber peer) override { peers_[peer]->refused = true; }
  std::size_t hail(PeerNumber to, std::span<std::byte> room) override;
  std::optional<Hailed> on_hail(std::span<const std::byte> datagram, std::span<std::byte> room,
                                Nanoseconds now) override;
  // Nobody is reached any more, nor heard: what is under way ends so, and what waits for anybody,
  // now and later.
  void lose_everybody();
  // Something has failed in the middle, as for want of memory: nothing but break_off() may be
  // called until that has returned.
  bool has_failed() const { return has_failed_; }
  void fail() { has_failed_ = true; }
  // Ends all that is under way as lose_everybody() does, whatever has failed in the middle of what,
  // and has the others told. If it throws itself it is to be called again.
  void break_off();

  // REQUIRES: room for largest_datagram().
  std::optional<Outgoing> next_datagram(std::span<std::byte> room, Nanoseconds now,
                                        wire::RunLimit limit = {}) override;
  std::size_t largest_datagram() const;
  // When next_datagram() will have something without any other event.
  std::optional<Nanoseconds> deadline() const;
  bool is_due(Nanoseconds now) const override;

  // What has ended since, in order.
  std::deque<Done>& done() { return done_; }
  // Nothing is on its way from or to anybody who still listens.
  bool is_idle() const;
  // Bytes of messages that wait for a receive, and of those that were copied and have not left.
  std::size_t waiting_bytes() const { return waiting_bytes_; }
  std::size_t copied_bytes() const { return copied_bytes_; }
  // Datagrams of senders that are in no address vector and did not show the job's secret.
  std::uint64_t strangers() const { return strangers_; }
  wire::EndpointCounters counters() const override;
  // What has gone by memory of this host, both ways.
  std::uint64_t records() const;

 private:
  struct Offer {
    std::span<const std::byte> bytes;
    std::vector<std::byte> copy;
    Head head;
    Report report;
    bool has_ended = false;  // for the caller
    bool is_called = false;  // by the receiver, which does so once
  };
  struct Arriving {  // a message whose rest is on its way, or one behind such a message
    Head head;
    std::vector<std::byte> bytes = {};  // empty: it comes where it is received
    bool is_whole = false;
    std::optional<Token> transfer = {};  // by which a receive has taken it already
  };
  struct Peer {
    EndpointName name;
    wire::Secret secret{};
    std::unique_ptr<Conversation> conversation;  // none with oneself
    EagerCredit credit;
    std::unordered_map<std::uint32_t, Offer> offers;
    std::uint32_t next_offer = 0;
    bool heard = false;
    bool refused = false;
    bool lost = false;
    bool ready = false;  // in `ready_`
    std::optional<Nanoseconds> introduced;
    bool owes_farewell = false;  // it speaks though it is lost
    std::optional<Nanoseconds> bade_farewell;
    std::optional<Nanoseconds> wakes;  // in `timers_`
    std::deque<Arriving> arriving;
  };
  struct Receive {
    ReceiveRequest request;
    std::size_t used = 0;
    std::size_t under_way = 0;
    bool posted = true;
  };
  struct Waiting {
    PeerNumber from = 0;
    Head head;
    std::vector<std::byte> bytes;  // where it was not offered
  };
  struct Transfer {  // of what was called for, or of a rest
    Token receive = 0;
    PeerNumber from = 0;
    Done done;
  };

  // messenger_peers.cpp, messenger_memory.cpp
  PeerNumber add_peer(const EndpointName& name, const wire::Secret& secret, Nanoseconds now);
  PeerNumber* known_at(wire::NetworkAddress address);
  // The same, if all of its name is so.
  PeerNumber* known_as(const EndpointName& name);
  void on_introduction(std::span<const std::byte> datagram, Nanoseconds now);
  // Who introduces himself so, if he is known and it is genuine. REQUIRES: is_introduction(), or
  // is_farewell().
  std::optional<PeerNumber> introduced(std::span<const std::byte> datagram);
  void owe_farewell(PeerNumber number);
  void on_farewell(std::span<const std::byte> datagram);
  std::optional<std::size_t> farewell(Peer& peer, std::span<std::byte> room, Nanoseconds now);
  void ask_programs_later(Nanoseconds now);
  void ask_programs(Nanoseconds now);
  void touch(PeerNumber number, Nanoseconds now);
  void set_timer(PeerNumber number);
  void lose(PeerNumber number);
  void check_refused(PeerNumber number);
  void take_claimed_rings();
  void probe_memory(Nanoseconds now);
  void probe_memory_later(const Conversation& conversation, Nanoseconds now);
  std::optional<std::size_t> introduction(Peer& peer, std::span<std::byte> room, Nanoseconds now);

  // messenger_send.cpp
  void offer(const SendRequest& request, Head head, Nanoseconds now);
  void on_call(PeerNumber from, const Control& control, Nanoseconds now);
  void end_send(const Head& head, const Report& report, PeerNumber to, Outcome outcome);
  void call_for(PeerNumber from, std::uint32_t offer, std::uint64_t bytes, Nanoseconds now);
  void tell_credit(PeerNumber to, Nanoseconds now);
  void end_offer(std::uint32_t number, PeerNumber to, Outcome outcome);

  // What has been taken on ends by what done() tells, and by no exception.
  template <typename Act>
  void carry_on(Act&& act) {
    try {
      act();
    } catch (...) {
      has_failed_ = true;
    }
  }

  // messenger_receive.cpp
  Matcher& matcher(bool tagged) { return tagged ? tagged_ : untagged_; }
  // False where it is no message of this protocol.
  bool on_packet(PeerNumber from, std::span<const std::byte> bytes, Nanoseconds now);
  void begin_rest(PeerNumber from, const ParsedMessage& message, Nanoseconds now);
  void on_rest(PeerNumber from, Nanoseconds now);
  // Has the receive take the message, from now on or as a whole.
  Done begin_delivery(Token receive, PeerNumber from, const Head& head);
  // Of what was not offered: the memory that it took here is free again.
  void end_delivery(Token receive, PeerNumber from, const Head& head, const Done& done,
                    Nanoseconds now);
  void on_message(PeerNumber from, const ParsedMessage& message, Nanoseconds now);
  void deliver(Token receive, PeerNumber from, const Head& head, std::span<const std::byte> bytes,
               Nanoseconds now);
  void fetch(Token receive, const Done& done, PeerNumber from, std::uint32_t offer,
             Nanoseconds now);
  std::span<std::byte> room_for(Receive& receive, std::uint64_t length);
  void end_receive(Token token, const Done& done);
  void end_waiting(Token receive, Outcome outcome);
  Token add_receive(const ReceiveRequest& request);
  void post(Token token, const ReceiveRequest& request, Nanoseconds now);
  void take(Token message, Token receive, Nanoseconds now);
  void drop(const Waiting& waiting, Nanoseconds now);
  void take_events(PeerNumber number, Nanoseconds now);

  MessengerSettings settings_;
  const KeyPair& keys_;
  wire::CreditBoard own_board_{};  // where none is shared
  wire::CreditBoard local_board_{};
  wire::CreditBudget network_budget_;
  wire::CreditBudget local_budget_;
  std::uint32_t local_peers_ = 1;  // on this host, with oneself
  std::uint32_t network_peers_ = 0;
  bool reaches_nobody_ = false;
  bool has_failed_ = false;
  std::set<PeerNumber> silent_;
  std::optional<PeerNumber> wants_stream_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, PeerNumber> by_address_;
  std::deque<PeerNumber> ready_;  // may have something to send
  std::set<std::pair<Nanoseconds, PeerNumber>> timers_;
  std::vector<PeerNumber> on_host_;      // whom this endpoint may share memory with
  std::vector<Inbox::Claimed> unknown_;  // rings of those who have not introduced themselves yet
  std::optional<Nanoseconds> probes_memory_at_;
  Nanoseconds between_probes_{};
  std::optional<Nanoseconds> asks_programs_at_;
  Matcher tagged_;
  Matcher untagged_;
  Token next_token_ = 1;
  std::unordered_map<Token, Receive> receives_;
  std::unordered_map<Token, Waiting> waiting_;
  std::unordered_map<Token, Transfer> transfers_;
  std::unordered_map<Token, std::pair<PeerNumber, std::uint32_t>> leaving_;  // offers in bulk
  std::unordered_map<const void*, Token> claimed_;
  std::deque<Done> done_;
  std::size_t waiting_bytes_ = 0;
  std::size_t copied_bytes_ = 0;
  std::uint64_t strangers_ = 0;
};

}  // namespace quadrille::fabric
