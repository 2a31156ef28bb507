// SPDX-License-Identifier: BSD-3-Clause
// What an engine drives: an endpoint of collectives, or the provider's messenger. It does no input
// or output and knows no clock: datagrams and the time go in, datagrams and the next deadline come
// out.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/units.h"
#include "wire/endpoint.h"
#include "wire/links/link.h"

namespace quadrille::wire {

// Where a peer takes datagrams, and connections where datagrams do not arrive.
struct PortAddress {
  NetworkAddress datagrams;
  NetworkAddress streams;  // port 0: nowhere
};

class Protocol {
 public:
  using PeerNumber = std::uint32_t;  // as the protocol numbers them
  static constexpr PeerNumber to_group = Endpoint::to_group;

  Protocol() = default;
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;

  using Heard = Endpoint::Heard;
  // A datagram that arrived. Nothing is returned where it is not a peer's packet. Afterwards its
  // memory holds nothing of use.
  virtual std::optional<Heard> on_datagram(NetworkAddress from, std::span<std::byte> datagram,
                                           Nanoseconds now) = 0;
  // What bursts tell of the network, those of a Link or of a StreamLink; see CreditBudget.
  using Bursts = std::function<std::optional<Nanoseconds>(std::size_t bytes)>;
  virtual void learn(const Bursts& bursts, Nanoseconds now) = 0;

  struct Outgoing : Endpoint::Outgoing {
    NetworkAddress to;
  };
  // Writes the next datagram that is due into `room`, or several to one peer within `limit`, where
  // there is room for them.
  virtual std::optional<Outgoing> next_datagram(std::span<std::byte> room, Nanoseconds now,
                                                RunLimit limit) = 0;
  // Whether next_datagram() may have one.
  virtual bool is_due(Nanoseconds now) const = 0;
  virtual EndpointCounters counters() const = 0;

  // A host says that nobody listens at that address any more.
  virtual void on_refusal(NetworkAddress to) = 0;

  // The rest is of connections to peers; see PeerStreams. First for long messages: a peer to whom
  // there may be one, one at each call, again with each such message; whether they are to go over
  // it from now on; and that it has ended, with what was in it.
  virtual std::optional<PeerNumber> next_wanting_stream() = 0;
  virtual void set_stream(PeerNumber peer, bool open) = 0;
  virtual void lose_stream(PeerNumber peer) = 0;

  // Then of peers whose datagrams do not arrive.
  // Those that have left probes unanswered for long, one at each call, again with each probe.
  virtual std::optional<PeerNumber> next_silent() = 0;
  virtual PortAddress address_of(PeerNumber peer) const = 0;
  virtual void set_receive_loss(PeerNumber peer, bool receive_loss) = 0;
  virtual bool has_receive_loss(PeerNumber peer) const = 0;
  // It has ended: nothing is for it any more.
  virtual bool is_lost(PeerNumber /*peer*/) const { return false; }
  // Its host refuses connections, or somebody else takes them.
  virtual void on_refused_stream(PeerNumber peer) = 0;

  // What is said first on a new connection, where peers do not know each other by packets alone;
  // returns its length, 0 where nothing is. REQUIRES: room for longest_hail.
  static constexpr std::size_t longest_hail = 256;
  virtual std::size_t hail(PeerNumber /*peer*/, std::span<std::byte> /*room*/) { return 0; }
  struct Hailed {
    std::optional<PeerNumber> from;  // where it is known
    std::size_t answer = 0;  // bytes written; 0 where who hails is not genuine, or not wanted
  };
  // Nothing where it is no hail. The answer to one is another.
  virtual std::optional<Hailed> on_hail(std::span<const std::byte> /*datagram*/,
                                        std::span<std::byte> /*room*/, Nanoseconds /*now*/) {
    return std::nullopt;
  }

 protected:
  ~Protocol() = default;
};

}  // namespace quadrille::wire
