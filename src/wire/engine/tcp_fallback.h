// SPDX-License-Identifier: BSD-3-Clause
// Connections to those peers that datagrams do not reach, and what goes over them. They also tell
// whether a peer that answers no datagram has ended: its host then refuses the connection.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "wire/links/stream_link.h"
#include "wire/engine/peer_fallback.h"
#include "wire/engine/protocol.h"

namespace quadrille::wire {

class TcpFallback {
 public:
  using PeerNumber = Protocol::PeerNumber;

  // `say` is called once for each peer whose datagrams are known not to arrive any more.
  TcpFallback(std::unique_ptr<StreamLink> link, std::function<void(PeerNumber)> say);

  int descriptor() const { return link_->descriptor(); }

  void heard_by_datagram(PeerNumber peer) {
    if (!refused_once_.empty()) refused_once_.erase(peer);
    if (const auto found = ways_.find(peer); found != ways_.end())
      found->second.state.heard_by_datagram();
  }
  // Takes in what has arrived and closes what is not needed. Returns whether anything arrived.
  bool exchange(Protocol& protocol, Nanoseconds now);
  // Streams to the protocol's silent peers.
  void open_where_silent(Protocol& protocol);

  bool lead_to(PeerNumber peer) const { return ways_.contains(peer); }
  // REQUIRES: lead_to(peer).
  void send(PeerNumber peer, std::span<const std::byte> datagram) {
    link_->send(ways_.at(peer).stream, datagram);
  }

  // Peers whose hosts have refused a stream twice, with no sign of them between, since the last
  // call: nobody listens there any more, or somebody else, who hangs up or says something else. Who
  // says nothing may be stopped, and is waited for. Once is not enough: a firewall may refuse, and
  // the probe that was not answered be lost.
  std::set<PeerNumber> refusals();
  bool has_refusals() const { return !refused_.empty(); }

 private:
  struct Way {
    StreamLink::Stream stream = 0;
    PeerFallback state;
  };

  void take_ends(Protocol& protocol);
  // False where it is nothing of a peer's.
  bool take_in(Protocol& protocol, const StreamLink::Arrival& arrival, Nanoseconds now);
  bool take_hail(const StreamLink::Arrival& arrival, const Protocol::Hailed& hailed,
                 std::span<const std::byte> answer);
  void heard_by_stream(StreamLink::Stream stream, const Protocol::Heard& heard, Nanoseconds now);
  void on_strange(Protocol& protocol, StreamLink::Stream stream);
  // The stream that was opened to it has not led to it.
  void refused(PeerNumber peer);
  void forget(Protocol& protocol, PeerNumber peer, StreamLink::Stream stream);
  void close_unneeded(Protocol& protocol, Nanoseconds now);

  std::unique_ptr<StreamLink> link_;
  std::function<void(PeerNumber)> say_;
  Nanoseconds looked_{};
  std::map<PeerNumber, Way> ways_;
  std::map<StreamLink::Stream, PeerNumber>
      known_;                              // whose packets a stream has brought, or goes to
  std::set<StreamLink::Stream> unproven_;  // opened here, have brought nothing of the peer's
  std::set<PeerNumber> refused_once_;
  std::set<PeerNumber> refused_;
  std::set<PeerNumber> said_;
};

}  // namespace quadrille::wire
