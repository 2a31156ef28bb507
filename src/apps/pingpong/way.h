// SPDX-License-Identifier: BSD-3-Clause
// A way for messages between two processes, 0 and 1, that both spin while they wait: a socket, a
// link, the wire, an MPI library.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "wire/links/open_link.h"

namespace quadrille::pingpong {

class Way {
 public:
  Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;
  virtual ~Way() = default;

  // Whether `window` messages of so many bytes may be under way at once.
  virtual bool carries(std::size_t bytes, std::size_t window) const = 0;
  // Each in the order of its calls; memory stays as it is until complete().
  virtual void send(std::span<const std::byte> message) = 0;
  virtual void receive(std::span<std::byte> message) = 0;
  // Until all that was sent and received so far is done. False: for ten seconds nothing has moved,
  // or the other end is gone.
  virtual bool complete() = 0;
};

// Hands `own` to the other process, and its bytes, as many, to this one.
using Exchange = std::function<void(std::span<const std::byte> own, std::span<std::byte> other)>;

struct WaySettings {
  int rank = 0;                                      // 0 or 1
  std::uint32_t address = 0;                         // of the interface, in the host's byte order
  std::size_t mtu_bytes = 1500;                      // of both interfaces the smaller
  std::size_t burst_bytes = std::size_t{32} * 1024;  // that the network holds in front of a host
  std::string link_helper = {};                      // the path of its socket; empty: asks nobody
  Exchange exchange;
};

// Collective over both processes, as all of these are: where one fails it fails at the other.
Result<std::unique_ptr<Way>> tcp_way(const WaySettings& settings);
// Single datagrams, which may be lost; not authenticated.
Result<std::unique_ptr<Way>> link_way(const WaySettings& settings, wire::LinkKind kind);
// The wire's protocol over a link.
Result<std::unique_ptr<Way>> wire_way(const WaySettings& settings, wire::LinkKind kind);

// What the other process has of it.
template <typename Value>
Value exchanged(const Exchange& exchange, const Value& own) {
  Value other{};
  exchange(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(&other, 1)));
  return other;
}

}  // namespace quadrille::pingpong
