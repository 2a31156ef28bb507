// SPDX-License-Identifier: BSD-3-Clause
// Drives a protocol: takes in what its link and its TCP connections bring, sends what is due, and
// has a thread answer while nobody calls. Who calls drives the engine itself, and the thread sleeps
// until nobody has for a while; it takes no signal.
//
// Thread rule: everything but the constructor, start() and end() with mutex() held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "wire/engine/peer_streams.h"
#include "wire/engine/protocol.h"
#include "wire/engine/send_costs.h"
#include "wire/engine/service_thread.h"
#include "wire/links/cutting_watch.h"
#include "wire/links/link.h"
#include "wire/links/own_address.h"
#include "wire/links/stream_link.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {

struct EngineSettings {
  std::optional<NetworkAddress> group = {};  // where datagrams go to several at once
  std::size_t datagram_bytes = 0;            // of the largest that goes there
  // Who comes back so soon answers for itself.
  Nanoseconds between_calls{1'000'000};
  BulkPath bulk = BulkPath::cheaper;
  // Called once for each peer whose datagrams do not arrive any more; it must not use the engine.
  std::function<void(Protocol::PeerNumber)> on_tcp_fallback = [](Protocol::PeerNumber) {};
  // Called once, when datagrams leave one by one as what was cut below does not arrive.
  std::function<void()> on_uncut = [] {};
};

class Engine {
 public:
  // `streams` may be none: then there is no other way than by datagrams. `protocol` outlives it.
  Engine(Protocol& protocol, std::unique_ptr<Link> link, std::unique_ptr<StreamLink> streams,
         EngineSettings settings);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() = default;

  // `act` is called by the thread, with the mutex held: before it sleeps until something arrives,
  // to take in and send out, and where somebody has called so lately that it does not, to send out.
  // It returns when to be called again though nothing arrives. False where no descriptor or no
  // thread is left.
  using Act = std::function<Nanoseconds(Nanoseconds now, bool before_sleep)>;
  bool start(Act act);
  // The thread ends; false in a forked child, which has none.
  bool end() { return service_.end(); }
  std::mutex& mutex() { return mutex_; }

  // Between these the caller drives. Returns whether the thread had been waiting for arrivals.
  bool enter(Nanoseconds now);
  // `due`: when the thread is to look at the latest. It waits for arrivals from now on where
  // `others_wait`; else a while later, sooner where something has not left.
  void leave(Nanoseconds now, Nanoseconds due, bool others_wait = false);
  // Whether arrivals wake the thread.
  bool is_watched() const { return watched_; }
  // The thread acts as soon as it can.
  void leave_to_thread();

  // What has arrived, without blocking; returns whether anything has.
  bool take_in(Nanoseconds now);
  // What is due; returns whether anything left.
  bool send_out(Nanoseconds now);
  // Tells the protocol of hosts that refuse. To be called after take_in().
  void note_refusals();
  // Why nothing leaves or arrives any more, for good, if that is so.
  std::optional<std::string> loss(Nanoseconds now);

  // Readable when something has arrived.
  const std::vector<int>& descriptors() const { return descriptors_; }
  // Sleeps until then, or for `time`. Takes the mutex itself.
  void wait(Nanoseconds time);
  // Somebody has slept until one of them was.
  void woken();

  // From now on packets go over TCP connections where that is faster, or where datagrams stop.
  void use_streams();
  // Takes part in what is sent to several at once, from now on, or still. Returns whether it can.
  bool stay_in_group(Nanoseconds now);

  Link& link() { return *link_; }
  const Link& link() const { return *link_; }
  const std::optional<NetworkAddress>& group() const { return group_; }

 private:
  static constexpr Nanoseconds least_patience{100'000};

  Nanoseconds serve();
  // For how long nobody calls before the thread waits for arrivals, and for room.
  Nanoseconds patience() const;
  void watch(bool arrivals, bool room);
  bool is_group_looked_at(Nanoseconds now);
  bool take_in_from(Link& link, Nanoseconds now);
  // What waits in the link.
  struct Batch {
    std::size_t bytes = 0;
    std::size_t messages = 0;
  };
  // What long messages cost is noted. Leaves an empty batch.
  bool flush(Batch& batch);

  std::mutex mutex_;
  Protocol& protocol_;
  std::unique_ptr<Link> link_;
  OwnAddress own_address_;
  std::optional<NetworkAddress> group_;
  std::size_t datagram_bytes_;
  Nanoseconds between_calls_;
  std::function<void()> on_uncut_;
  CuttingWatch cutting_;
  std::unique_ptr<UdpLink> group_link_;  // receives; none before it has joined
  std::optional<Nanoseconds> joined_;    // or tried to
  bool awaits_group_ = false;            // a message to it, in a call that is under way
  Nanoseconds group_looked_at_{};
  std::optional<PeerStreams> streams_;
  bool uses_streams_ = false;
  std::vector<int> descriptors_;  // the link's first
  Act act_;
  std::uint32_t calls_ = 0;    // under way
  Nanoseconds last_passed_{};  // a call's beginning or end
  bool watched_ = false;       // see is_watched()
  // Longer each time that somebody calls again meanwhile: to wait for room takes system calls.
  Nanoseconds patience_with_unsent_ = least_patience;
  ServiceThread service_;  // ends before what it works on
};

}  // namespace quadrille::wire
