// SPDX-License-Identifier: BSD-3-Clause
// A process's place on the wire: an endpoint, and the engine that drives it. Who is in a collective
// drives the port itself; the engine's thread answers while no call is, and never calls MPI.
//
// Thread rule: any thread, but for each call its own Completions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "wire/addressed_endpoint.h"
#include "wire/budget/credit_budget.h"
#include "wire/endpoint.h"
#include "wire/engine/engine.h"
#include "wire/links/link.h"
#include "wire/links/stream_link.h"

namespace quadrille::wire {

// What is complete of one call's messages, each by the caller's own number for it. Whoever drives
// the port adds to it, so it is read by Port::take().
class Completions {
 public:
  struct Message {
    std::uint32_t token = 0;
    bool matches = true;
  };

 private:
  friend class Port;
  std::vector<Message> messages_;
};

struct PortSettings {
  EndpointSettings endpoint;
  std::vector<PortAddress> addresses;        // of the endpoints, in the order of their numbers
  CreditBoard* board = nullptr;              // outlives the port; null: its own
  std::size_t holder = 0;                    // of the board
  std::uint32_t budget = 16;                 // packets
  std::uint32_t most_budget = 0;             // that it may grow to
  std::optional<NetworkAddress> group = {};  // where datagrams go to several endpoints at once
  BulkPath bulk = BulkPath::cheaper;
  // Called once for each peer whose datagrams do not arrive any more; it must not use the port.
  std::function<void(EndpointId)> on_tcp_fallback = [](EndpointId) {};
  // Called once for the first peer that misses much of what goes to groups since its process, or
  // this one, does not run; it must not use the port.
  std::function<void(const Endpoint::Late&)> on_late = [](const Endpoint::Late&) {};
  // Called once, when datagrams leave one by one as what was cut below does not arrive.
  std::function<void()> on_uncut = [] {};
};

class Port {
 public:
  // `streams` may be none: then there is no other way than by datagrams.
  static Result<std::unique_ptr<Port>> open(std::unique_ptr<Link> link,
                                            std::unique_ptr<StreamLink> streams,
                                            PortSettings settings);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  // REQUIRES: nobody in a call.
  ~Port() = default;

  // While one of these lives, its thread drives the port.
  class Call {
   public:
    explicit Call(Port& port) : port_(port) { port_.enter(); }
    ~Call() { port_.leave(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Port& port_;
  };

  // REQUIRES: in a call. `completions` lives until the message is complete; the message too.
  void send(EndpointId peer, Channel channel, std::span<const std::byte> message,
            Completions& completions, std::uint32_t token);
  void receive(EndpointId peer, Channel channel, std::span<std::byte> message,
               Completions& completions, std::uint32_t token);

  // As Endpoint's. REQUIRES: in a call; has_group().
  void send_to_group(const Group& group, Channel channel, std::span<const std::byte> message,
                     Completions& completions, std::uint32_t token);
  void receive_from_group(EndpointId sender, const Group& group, Channel channel,
                          std::span<std::byte> message, Completions& completions,
                          std::uint32_t token);

  // Takes in what has arrived and sends what is due, without blocking. Errors: peer_lost names the
  // endpoint of a process that has ended while something is awaited from it: its host refuses
  // datagrams or connections, and it leaves probes unanswered; system: this host has lost the
  // address that it sends from. Returns whether anything arrived or left.
  Result<bool> drive();
  // Moves what is complete into `messages`, which it clears before.
  void take(Completions& completions, std::vector<Completions::Message>& messages);
  // After an error: nothing of `completions`, which are all of `channel`'s, is awaited any more,
  // and the channel is not used again.
  void abandon(Channel channel, Completions& completions);
  // As Endpoint's.
  bool is_out_of_step(Channel channel) const;
  // The communicator is freed whose messages `channel`, and that of its groups, have carried.
  // Another one may have its number when all of its members have freed theirs.
  void release(Channel channel);
  // Sleeps for `time`, or until something arrives.
  void wait(Nanoseconds time);

  // From now on packets go by streams where that costs less, or where datagrams stop. Before, it is
  // to be found out whether datagrams get through at all.
  void use_streams();

  // Takes part in what is sent to several endpoints at once, from the first message on that it
  // expects of a group, or from now on. Returns whether it can.
  bool join_group();
  bool has_group() const { return engine_.group().has_value(); }

  const char* link_name() const { return engine_.link().name(); }
  FrameCounters frames() const;

  // As Endpoint's.
  std::optional<EndpointId> unreached() const;
  EndpointCounters counters() const;
  Endpoint::Flows flows() const;
  FlowStatistics statistics(Channel channel) const;
  // Packets that may be on their way to this host.
  std::uint32_t budget() const { return endpoint_.budget().limit(); }

 private:
  struct Awaited {
    Completions* completions = nullptr;
    std::uint32_t token = 0;
  };

  Port(std::unique_ptr<Link> link, std::unique_ptr<StreamLink> streams, PortSettings settings);
  void enter();
  void leave();
  // REQUIRES: the engine's mutex held.
  Handle await(Completions& completions, std::uint32_t token);
  bool exchange(Nanoseconds now);
  void hand_out();

  AddressedEndpoint endpoint_;
  std::unordered_map<Handle, Awaited> awaited_;
  Handle next_handle_ = 1;
  std::function<void(const Endpoint::Late&)> on_late_;
  mutable Engine engine_;  // ends before what it drives
};

}  // namespace quadrille::wire
