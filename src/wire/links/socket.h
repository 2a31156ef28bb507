// SPDX-License-Identifier: BSD-3-Clause
// What links have in common of how they use sockets.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/units.h"
#include "wire/links/address.h"

namespace quadrille::wire {

// What the kernel counts for a datagram of up to 1500 bytes (its sk_buff's true size).
inline constexpr std::size_t counted_bytes = 2304;

// The answer is no, but not for ever.
inline bool is_for_now(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

template <typename Value>
bool set_option(int descriptor, int level, int name, const Value& value) {
  return setsockopt(descriptor, level, name, &value, sizeof value) == 0;
}

inline bool bind_to(int descriptor, NetworkAddress address) {
  const sockaddr_in wanted = to_system(address);
  return bind(descriptor, reinterpret_cast<const sockaddr*>(&wanted), sizeof wanted) == 0;
}

// Nothing where the system does not tell.
inline std::optional<NetworkAddress> bound_to(int descriptor) {
  sockaddr_in bound{};
  socklen_t length = sizeof bound;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length) != 0)
    return std::nullopt;
  return from_system(bound);
}

// When the kernel had what a control message of SO_TIMESTAMPNS tells of; nothing: it is another.
inline std::optional<Nanoseconds> kernel_stamp(const cmsghdr& control) {
  if (control.cmsg_level != SOL_SOCKET || control.cmsg_type != SCM_TIMESTAMPNS) return std::nullopt;
  timespec time{};
  std::memcpy(&time, CMSG_DATA(&control), sizeof time);
  return Nanoseconds{std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec};
}

// As people write it; in the host's byte order.
inline std::string text_of(std::uint32_t address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  const in_addr number{htonl(address)};
  inet_ntop(AF_INET, &number, text.data(), text.size());
  return text.data();
}

// As errno says.
inline Error socket_failure(const char* what, NetworkAddress local) {
  const std::string reason = std::strerror(errno);
  return {ErrorKind::system, std::string(what) + " on " + text_of(local.address) + ": " + reason};
}

}  // namespace quadrille::wire
