// SPDX-License-Identifier: BSD-3-Clause
// TCP connections to peers, one to each that needs it. Long messages go over one where that is
// cheaper (SendCosts), and all packets do where datagrams do not arrive (PeerFallback). It also
// tells whether a peer that answers no datagram has ended: its host then refuses the connection.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "wire/engine/peer_fallback.h"
#include "wire/engine/protocol.h"
#include "wire/engine/send_costs.h"
#include "wire/links/stream_link.h"

namespace quadrille::wire {

class PeerStreams {
 public:
  using PeerNumber = Protocol::PeerNumber;

  // `say` is called once for each peer whose datagrams are known not to arrive any more.
  PeerStreams(std::unique_ptr<StreamLink> link, BulkPath bulk, std::function<void(PeerNumber)> say);

  int descriptor() const { return link_->descriptor(); }

  void heard_by_datagram(PeerNumber peer) {
    if (!refused_once_.empty()) refused_once_.erase(peer);
    if (fallbacks_ == 0) return;
    if (const auto found = ways_.find(peer); found != ways_.end() && found->second.fallback)
      found->second.fallback->heard_by_datagram();
  }
  // Takes in what has arrived and closes what is not needed. Returns whether anything arrived.
  // `between` is called after each `some` bytes of it.
  bool exchange(
      Protocol& protocol, Nanoseconds now,
      std::size_t some = std::numeric_limits<std::size_t>::max(),
      const std::function<void()>& between = [] {});
  // Somebody has slept until descriptor() was readable: exchange() looks.
  void woken() { is_woken_ = true; }
  // Streams to whom the protocol wants them, and to its silent peers.
  void open_streams(Protocol& protocol);
  // What runs of long messages have cost as datagrams.
  void datagrams_took(std::size_t bytes, Nanoseconds time) { costs_.datagrams_took(bytes, time); }

  // Whether it went over a stream, and need not go as a datagram too: ACKs go both ways where
  // datagrams are lost, data only to where it is not heard otherwise.
  bool send(const Protocol& protocol, const Protocol::Outgoing& outgoing,
            std::span<const std::byte> bytes);

  // Peers whose hosts have refused a stream twice, with no sign of them between, since the last
  // call: nobody listens there any more, or somebody else, who hangs up or says something else. Who
  // says nothing may be stopped, and is waited for. Once is not enough: a firewall may refuse, and
  // the probe that was not answered be lost.
  std::set<PeerNumber> refusals();
  bool has_refusals() const { return !refused_.empty(); }

 private:
  struct Way {
    StreamLink::Stream stream = 0;
    bool opened_here = false;
    std::optional<PeerFallback> fallback = {};  // where datagrams are lost, or seem to be
    bool is_wanted = false;                     // for long messages
    bool is_used = false;                       // for them
  };

  bool is_due(Nanoseconds now);
  // The one to the peer, opened if there is none; null where there is none to be had.
  Way* way_to(Protocol& protocol, PeerNumber peer);
  void begin_fallback(Way& way, bool was_silent);
  // Tells the protocol of those that are there now, and closes those that nobody needs any more.
  void tend(Protocol& protocol, Nanoseconds now);
  bool is_needed(Protocol& protocol, PeerNumber peer, Way& way, Nanoseconds now);
  bool is_needed_for_bulk(Protocol& protocol, PeerNumber peer, Way& way, Nanoseconds now);
  void take_ends(Protocol& protocol);
  // False where it is nothing of a peer's.
  bool take_in(Protocol& protocol, const StreamLink::Arrival& arrival, Nanoseconds now);
  bool take_hail(const StreamLink::Arrival& arrival, const Protocol::Hailed& hailed,
                 std::span<const std::byte> answer);
  void heard_by_stream(Protocol& protocol, StreamLink::Stream stream, const Protocol::Heard& heard,
                       Nanoseconds now);
  void on_strange(Protocol& protocol, StreamLink::Stream stream);
  // The stream that was opened to it has not led to it.
  void refused(PeerNumber peer);
  void forget(Protocol& protocol, PeerNumber peer, StreamLink::Stream stream);

  std::unique_ptr<StreamLink> link_;
  std::function<void(PeerNumber)> say_;
  Nanoseconds looked_{};
  Nanoseconds tended_{};
  Nanoseconds busy_until_{};
  bool is_woken_ = false;
  std::size_t fallbacks_ = 0;
  std::map<PeerNumber, Way> ways_;
  SendCosts costs_;
  std::map<PeerNumber, Nanoseconds> not_before_;  // where one has ended that was wanted
  std::map<StreamLink::Stream, PeerNumber>
      known_;                              // whose packets a stream has brought, or goes to
  std::set<StreamLink::Stream> unproven_;  // opened to who was silent, have brought nothing of his
  std::set<PeerNumber> refused_once_;
  std::set<PeerNumber> refused_;
  std::set<PeerNumber> said_;
};

}  // namespace quadrille::wire
