// SPDX-License-Identifier: BSD-3-Clause
// A UDP socket that measures: it never blocks, and tells when the kernel had each datagram.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace quadrille::probe {

// An IPv4 address and a port, as numbers in the host's byte order.
struct Endpoint {
  std::uint32_t address = 0;
  std::uint16_t port = 0;
};

// 0 where `dotted` is no IPv4 address.
std::uint32_t parse_address(const std::string& dotted);

// The beginning of a datagram that arrived.
struct Received {
  std::array<unsigned char, 64> head{};
  std::size_t length = 0;  // of `head` that is filled
  std::uint32_t from_address = 0;
  std::int64_t kernel_ns = 0;  // CLOCK_REALTIME, when the kernel took it from the interface
  std::uint8_t time_to_live = 0;
};

class UdpSocket {
 public:
  static constexpr std::size_t batch = 32;

  UdpSocket();
  UdpSocket(UdpSocket&& other) noexcept;
  UdpSocket& operator=(UdpSocket&& other) noexcept;
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;
  ~UdpSocket();

  // Bound to `local`; port 0: any that is free. With time stamps and as large a receive buffer as
  // the host allows.
  static Result<UdpSocket> open(Endpoint local);

  // So few bytes may wait in the own interface's queue that the interface paces the sender. Counted
  // as the kernel counts: a full frame of 1500 bytes takes 2304.
  void limit_send_queue(std::uint32_t bytes);
  // Multicast leaves and arrives by the interface with the address `interface_address`.
  Result<bool> send_multicast_by(std::uint32_t interface_address);
  Result<bool> join(std::uint32_t group, std::uint32_t interface_address);

  enum class Outcome : std::uint8_t { sent, queue_full, failed };
  Outcome send(Endpoint to, std::span<const unsigned char> datagram) const;
  // What has arrived, `most` datagrams at most; empty when nothing is there.
  std::span<const Received> receive(std::size_t most);

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::uint16_t port() const { return port_; }

 private:
  struct Buffers;
  explicit UdpSocket(int descriptor);
  static Error failure(const char* what, Endpoint local);

  int descriptor_ = -1;
  std::uint16_t port_ = 0;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace quadrille::probe
