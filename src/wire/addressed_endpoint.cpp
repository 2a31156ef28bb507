// SPDX-License-Identifier: BSD-3-Clause
#include "wire/addressed_endpoint.h"

#include <algorithm>
#include <utility>

namespace quadrille::wire {
namespace {

// One refusal may be a firewall's while it is set up anew.
constexpr std::uint32_t probes_before_lost = 2;

}  // namespace

AddressedEndpoint::AddressedEndpoint(const EndpointSettings& settings, const Budget& budget,
                                     std::vector<PortAddress> addresses,
                                     std::optional<NetworkAddress> group)
    : addresses_(std::move(addresses)),
      group_(group),
      datagram_bytes_(settings.limits.payload + overhead_bytes),
      budget_(budget.board != nullptr ? *budget.board : own_board_, budget.holder, budget.start,
              budget.most),
      endpoint_(settings, budget_) {}

std::optional<Protocol::Heard> AddressedEndpoint::on_datagram(NetworkAddress /*from*/,
                                                              std::span<std::byte> datagram,
                                                              Nanoseconds now) {
  return endpoint_.on_datagram(datagram, now);
}

void AddressedEndpoint::learn(const Bursts& bursts, Nanoseconds now) {
  budget_.learn(bursts, datagram_bytes_ + framing_bytes, now);
}

std::optional<Protocol::Outgoing> AddressedEndpoint::next_datagram(std::span<std::byte> room,
                                                                   Nanoseconds now,
                                                                   RunLimit limit) {
  const auto next = endpoint_.next_datagram(room, now, limit);
  if (!next) return std::nullopt;
  const NetworkAddress to =
      next->peer == Endpoint::to_group ? *group_ : addresses_[next->peer].datagrams;
  return Outgoing{*next, to};
}

void AddressedEndpoint::on_refusal(NetworkAddress to) {
  const auto found = std::ranges::find(addresses_, to, &PortAddress::datagrams);
  if (found != addresses_.end())
    refused_.insert(static_cast<EndpointId>(found - addresses_.begin()));
}

std::optional<EndpointId> AddressedEndpoint::ended() {
  if (refused_.empty()) return std::nullopt;
  for (const auto& [peer, probes] : endpoint_.awaited()) {
    if (!refused_.contains(peer)) continue;
    if (probes == 0) refused_.erase(peer);  // it has been heard of since
    if (probes >= probes_before_lost) return peer;
  }
  return std::nullopt;
}

}  // namespace quadrille::wire
