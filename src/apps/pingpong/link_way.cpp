// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <deque>
#include <utility>

#include "apps/pingpong/patience.h"
#include "apps/pingpong/way.h"

namespace quadrille::pingpong {
namespace {

class LinkWay : public Way {
 public:
  LinkWay(std::unique_ptr<wire::Link> link, wire::NetworkAddress other, std::size_t largest)
      : link_(std::move(link)), other_(other), largest_(largest) {}

  bool carries(std::size_t bytes, std::size_t window) const override {
    return bytes <= largest_ && window == 1;
  }
  void send(std::span<const std::byte> message) override {
    const auto room = link_->room();  // one message is under way
    std::ranges::copy(message, room.begin());
    link_->add(other_, message.size());
    link_->flush();
  }
  void receive(std::span<std::byte> message) override { coming_.push_back(message); }
  bool complete() override {
    Patience patience;
    while (!coming_.empty() || link_->has_unsent()) {
      if (link_->has_unsent()) link_->flush();
      if (!patience.lasts(take())) return false;
    }
    return true;
  }

 private:
  bool take() {
    bool any = false;
    for (const auto datagram : link_->receive()) {
      if (coming_.empty() || datagram.size() != coming_.front().size()) continue;
      std::ranges::copy(datagram, coming_.front().begin());
      coming_.pop_front();
      any = true;
    }
    return any;
  }

  std::unique_ptr<wire::Link> link_;
  wire::NetworkAddress other_;
  std::size_t largest_;
  std::deque<std::span<std::byte>> coming_;
};

}  // namespace

Result<std::unique_ptr<Way>> link_way(const WaySettings& settings, wire::LinkKind kind) {
  const std::size_t largest = settings.mtu_bytes - wire::ip_udp_bytes;
  auto opened = wire::open_link(kind, {.local = {settings.address, 0},
                                       .datagram_bytes = largest,
                                       .alone = true,
                                       .link_helper = settings.link_helper});
  const bool has_own = opened.ok() && opened.value().why_not.empty();
  const auto other =
      exchanged(settings.exchange, has_own ? opened.value().link->local() : wire::NetworkAddress{});
  if (!opened.ok()) return opened.error();
  if (!has_own) return Error{ErrorKind::system, opened.value().why_not};
  if (other.port == 0) return Error{ErrorKind::system, "the other host cannot open it"};
  return std::unique_ptr<Way>(
      std::make_unique<LinkWay>(std::move(opened.value().link), other, largest));
}

}  // namespace quadrille::pingpong
