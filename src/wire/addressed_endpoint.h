// SPDX-License-Identifier: BSD-3-Clause
// An endpoint of collectives and where its peers are: what a port's engine drives.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "wire/budget/credit_budget.h"
#include "wire/endpoint.h"
#include "wire/engine/protocol.h"

namespace quadrille::wire {

class AddressedEndpoint final : public Protocol {
 public:
  struct Budget {
    CreditBoard* board = nullptr;  // outlives it; null: its own
    std::size_t holder = 0;        // of the board
    std::uint32_t start = 16;      // packets
    std::uint32_t most = 0;        // that it may grow to
  };
  // `addresses`: of the endpoints, in the order of their numbers. `group`: where goes what is for
  // several.
  AddressedEndpoint(const EndpointSettings& settings, const Budget& budget,
                    std::vector<PortAddress> addresses, std::optional<NetworkAddress> group);

  Endpoint* operator->() { return &endpoint_; }
  const Endpoint* operator->() const { return &endpoint_; }
  const CreditBudget& budget() const { return budget_; }
  // Of its largest packets.
  std::size_t datagram_bytes() const { return datagram_bytes_; }
  // A process that has ended while something is awaited from it: its host refuses datagrams or
  // connections, and it leaves probes unanswered.
  std::optional<EndpointId> ended();

  std::optional<Heard> on_datagram(NetworkAddress from, std::span<std::byte> datagram,
                                   Nanoseconds now) override;
  void learn(const Bursts& bursts, Nanoseconds now) override;
  std::optional<Outgoing> next_datagram(std::span<std::byte> room, Nanoseconds now,
                                        RunLimit limit) override;
  bool is_due(Nanoseconds now) const override { return endpoint_.is_due(now); }
  EndpointCounters counters() const override { return endpoint_.counters(); }
  void on_refusal(NetworkAddress to) override;
  std::optional<PeerNumber> next_wanting_stream() override {
    return endpoint_.next_wanting_stream();
  }
  void set_stream(PeerNumber peer, bool open) override { endpoint_.set_stream(peer, open); }
  void lose_stream(PeerNumber peer) override { endpoint_.lose_stream(peer); }
  std::optional<PeerNumber> next_silent() override { return endpoint_.next_silent(); }
  PortAddress address_of(PeerNumber peer) const override { return addresses_[peer]; }
  void set_receive_loss(PeerNumber peer, bool receive_loss) override {
    endpoint_.set_receive_loss(peer, receive_loss);
  }
  bool has_receive_loss(PeerNumber peer) const override { return endpoint_.has_receive_loss(peer); }
  void on_refused_stream(PeerNumber peer) override { refused_.insert(peer); }

 private:
  std::vector<PortAddress> addresses_;
  std::optional<NetworkAddress> group_;
  std::size_t datagram_bytes_;
  CreditBoard own_board_{};  // where none is shared
  CreditBudget budget_;
  Endpoint endpoint_;
  std::set<EndpointId> refused_;  // by their hosts, since they were last heard of
};

}  // namespace quadrille::wire
