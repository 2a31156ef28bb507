// SPDX-License-Identifier: BSD-3-Clause
// Where a link is reached.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstdint>

namespace quadrille::wire {

// An IPv4 address and a port, as numbers in the host's byte order.
struct NetworkAddress {
  std::uint32_t address = 0;
  std::uint16_t port = 0;

  bool operator==(const NetworkAddress&) const = default;
};

inline sockaddr_in to_system(NetworkAddress address) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_addr.s_addr = htonl(address.address);
  made.sin_port = htons(address.port);
  return made;
}

inline NetworkAddress from_system(const sockaddr_in& address) {
  return {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)};
}

}  // namespace quadrille::wire
