// SPDX-License-Identifier: BSD-3-Clause
#include <sodium.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/pingpong/patience.h"
#include "apps/pingpong/way.h"
#include "wire/port.h"
#include "wire/seal/keys.h"

namespace quadrille::pingpong {
namespace {

constexpr wire::Channel channel = 0;

class WireWay : public Way {
 public:
  WireWay(std::unique_ptr<wire::CreditBoard> board, wire::EndpointId other)
      : board_(std::move(board)), other_(other) {}
  bool open(std::unique_ptr<wire::Link> link, wire::PortSettings settings) {
    settings.board = board_.get();
    auto opened = wire::Port::open(std::move(link), nullptr, std::move(settings));
    if (!opened.ok()) return false;
    port_ = std::move(opened.value());
    call_.emplace(*port_);
    return true;
  }

  bool carries(std::size_t /*bytes*/, std::size_t /*window*/) const override { return true; }
  void send(std::span<const std::byte> message) override {
    port_->send(other_, channel, message, completions_, 0);
    ++under_way_;
  }
  void receive(std::span<std::byte> message) override {
    port_->receive(other_, channel, message, completions_, 0);
    ++under_way_;
  }
  bool complete() override {
    Patience patience;
    while (under_way_ > 0) {
      const auto moved = port_->drive();
      if (!moved.ok() || !patience.lasts(moved.value())) return false;
      port_->take(completions_, done_);
      under_way_ -= done_.size();
    }
    return true;
  }

 private:
  std::unique_ptr<wire::CreditBoard> board_;
  wire::EndpointId other_;
  std::unique_ptr<wire::Port> port_;
  std::optional<wire::Port::Call> call_;
  wire::Completions completions_;
  std::vector<wire::Completions::Message> done_;
  std::size_t under_way_ = 0;
};

wire::PortSettings port_settings(const WaySettings& settings, const wire::Secret& secret) {
  wire::PortSettings made;
  made.endpoint.self = static_cast<wire::EndpointId>(settings.rank);
  made.endpoint.peers = 2;
  made.endpoint.secret = secret;
  auto& limits = made.endpoint.limits;
  limits.payload = settings.mtu_bytes - wire::ip_udp_bytes - wire::overhead_bytes;
  // A quarter of what the network holds, as in a job of two.
  limits.unscheduled =
      std::min(settings.burst_bytes / 4, 2 * limits.payload + wire::packet_framing_bytes);
  made.budget = static_cast<std::uint32_t>(std::max<std::size_t>(
      settings.burst_bytes * 3 / 4 / (settings.mtu_bytes + wire::ethernet_bytes), 2));
  return made;
}

}  // namespace

Result<std::unique_ptr<Way>> wire_way(const WaySettings& settings, wire::LinkKind kind) {
  if (!wire::start_cryptography())
    return Error{ErrorKind::system, "libsodium or libaegis cannot start"};
  auto opened = wire::open_link(kind, {.local = {settings.address, 0},
                                       .datagram_bytes = settings.mtu_bytes - wire::ip_udp_bytes,
                                       .alone = true,
                                       .link_helper = settings.link_helper});
  struct Introduction {
    wire::NetworkAddress at;
    wire::Secret secret;
  };
  const bool has_own = opened.ok() && opened.value().why_not.empty();
  Introduction own{};
  if (has_own) own.at = opened.value().link->local();
  randombytes_buf(own.secret.data(), own.secret.size());
  const std::size_t kept =
      has_own ? opened.value().link->receive_queue(settings.mtu_bytes - wire::ip_udp_bytes) : 0;
  const Introduction other = exchanged(settings.exchange, own);
  if (!opened.ok()) return opened.error();
  if (!has_own) return Error{ErrorKind::system, opened.value().why_not};
  if (other.at.port == 0) return Error{ErrorKind::system, "the other host cannot open it"};
  auto made = port_settings(settings, settings.rank == 0 ? own.secret : other.secret);
  made.most_budget = wire::CreditBudget::most_with(kept);
  made.addresses = {{own.at, {}}, {other.at, {}}};
  if (settings.rank == 1) std::swap(made.addresses[0], made.addresses[1]);
  auto way = std::make_unique<WireWay>(std::make_unique<wire::CreditBoard>(),
                                       static_cast<wire::EndpointId>(1 - settings.rank));
  const bool open = way->open(std::move(opened.value().link), std::move(made));
  if (!exchanged(settings.exchange, open) || !open)
    return Error{ErrorKind::system, "a host has no descriptor or thread left"};
  return std::unique_ptr<Way>(std::move(way));
}

}  // namespace quadrille::pingpong
