// SPDX-License-Identifier: BSD-3-Clause
// The streams to those peers that datagrams do not reach, and what goes over them.
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

#include "wire/endpoint.h"
#include "wire/links/stream_link.h"
#include "wire/peer_fallback.h"

namespace quadrille::wire {

class TcpFallback {
 public:
  // `peers`: where each endpoint listens. `say` is called once for each peer whose datagrams are
  // known not to arrive any more.
  TcpFallback(std::unique_ptr<StreamLink> link, std::vector<NetworkAddress> peers,
              std::function<void(EndpointId)> say);

  int descriptor() const { return link_->descriptor(); }

  void heard_by_datagram(EndpointId peer) {
    if (!refused_once_.empty()) refused_once_.erase(peer);
    if (const auto found = ways_.find(peer); found != ways_.end())
      found->second.state.heard_by_datagram();
  }
  // Takes in what has arrived and closes what is not needed. Returns whether anything arrived.
  bool exchange(Endpoint& endpoint, Nanoseconds now);
  // Streams to the endpoint's silent peers.
  void open_where_silent(Endpoint& endpoint);

  bool lead_to(EndpointId peer) const { return ways_.contains(peer); }
  // REQUIRES: lead_to(peer).
  void send(EndpointId peer, std::span<const std::byte> datagram) {
    link_->send(ways_.at(peer).stream, datagram);
  }

  // Peers whose hosts have refused a stream twice, with no sign of them between, since the last
  // call: nobody listens there any more, or somebody else, who hangs up or says something else. Who
  // says nothing may be stopped, and is waited for. Once is not enough: a firewall may refuse, and
  // the probe that was not answered be lost.
  std::set<EndpointId> refusals();

 private:
  struct Way {
    StreamLink::Stream stream = 0;
    PeerFallback state;
  };

  void take_ends(Endpoint& endpoint);
  void heard_by_stream(const StreamLink::Arrival& arrival, const Endpoint::Heard& heard,
                       Nanoseconds now);
  void on_strange(Endpoint& endpoint, StreamLink::Stream stream);
  // The stream that was opened to it has not led to it.
  void refused(EndpointId peer);
  void forget(Endpoint& endpoint, EndpointId peer, StreamLink::Stream stream);

  std::unique_ptr<StreamLink> link_;
  std::vector<NetworkAddress> peers_;
  std::function<void(EndpointId)> say_;
  Nanoseconds looked_{};
  std::map<EndpointId, Way> ways_;
  std::map<StreamLink::Stream, EndpointId>
      known_;                              // whose packets a stream has brought, or goes to
  std::set<StreamLink::Stream> unproven_;  // opened here, have brought no packet of the peer's
  std::set<EndpointId> refused_once_;
  std::set<EndpointId> refused_;
  std::set<EndpointId> said_;
};

}  // namespace quadrille::wire
