// SPDX-License-Identifier: BSD-3-Clause
// A socket can be bound to the host's own addresses only (ip(7)), unless it has been set otherwise
// for all of the host's (net.ipv4.ip_nonlocal_bind).
#include "wire/links/own_address.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "wire/links/descriptor.h"
#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

constexpr std::uint32_t nobodys = 0xc0000201;  // 192.0.2.1, for documents (RFC 5737)
// Who looks later was stopped itself.
constexpr Nanoseconds longest_between_looks{2'000'000'000};

// False only where the system says so.
bool is_own(std::uint32_t address) {
  const Descriptor bound(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!bound) return true;
  return bind_to(bound.get(), {address, 0}) || errno != EADDRNOTAVAIL;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

OwnAddress::OwnAddress(std::uint32_t address, std::function<bool()> is_there)
    : address_(address), is_there_(std::move(is_there)), watches_(is_there_ && is_there_()) {}

std::function<bool()> OwnAddress::asks_system(std::uint32_t address) {
  if (is_own(nobodys)) return {};
  return [address] { return is_own(address); };
}

bool OwnAddress::look(Nanoseconds now) {
  const Nanoseconds since = std::min(now - looked_, longest_between_looks);
  looked_ = now;
  const bool was_gone = std::exchange(gone_, !is_there_());
  if (gone_ && !was_gone) {
    gone_for_ = {};
    std::fprintf(stderr,
                 "quadrille: host %s no longer has the address %s, by which its datagrams leave: "
                 "waiting %d s for it\n",
                 host_name().c_str(), text_of(address_).c_str(),
                 static_cast<int>(patience.value / 1'000'000'000));
  } else if (gone_) {
    gone_for_ = gone_for_ + since;
  } else if (was_gone) {
    std::fprintf(stderr, "quadrille: host %s has the address %s again\n", host_name().c_str(),
                 text_of(address_).c_str());
  }
  lost_ = gone_ && gone_for_ >= patience;
  return lost_;
}

std::string OwnAddress::loss() const {
  return "host " + host_name() + " has lost the address " + text_of(address_) +
         ", by which its datagrams leave";
}

}  // namespace quadrille::wire
