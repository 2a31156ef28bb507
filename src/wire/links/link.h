// SPDX-License-Identifier: BSD-3-Clause
// What carries datagrams between processes: UDP over IPv4 in all cases, so that ends with different
// links understand each other. A link never blocks; what there is no room for stays in its batch.
// Datagrams may be lost, repeated, reordered, or come from anybody.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "wire/links/address.h"

namespace quadrille::wire {

// Of headers on the wire: Ethernet's with preamble and gap, IPv4's and UDP's.
inline constexpr std::size_t ethernet_bytes = 38;
inline constexpr std::size_t ip_udp_bytes = 28;
inline constexpr std::size_t framing_bytes = ethernet_bytes + ip_udp_bytes;

// The longest message that the kernel joins datagrams to, or takes to be cut; and how many
// datagrams of Ethernet's usual length that is.
inline constexpr std::size_t longest_message = 65'535;
inline constexpr std::size_t longest_run = 44;
inline constexpr std::size_t most_run_bytes = longest_message - ip_udp_bytes;

// What may leave as one message, see Link::room().
struct RunLimit {
  static constexpr std::size_t few = 4;  // datagrams that may, however long they take to leave

  std::size_t datagrams = 1;
  std::size_t bytes = most_run_bytes;  // of more than a few
};

// Of datagrams to one address, see Link::paths(). Clouds cap a flow at a fifth to a half of what an
// interface carries.
inline constexpr std::uint32_t most_paths = 4;

// Datagrams of these that went past the kernel's own layers.
struct FrameCounters {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

class Link {
 public:
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  virtual ~Link() = default;

  // For logs: udp, packet, xdp.
  virtual const char* name() const = 0;
  virtual NetworkAddress local() const = 0;
  // The host's address where this process joins groups, to hear what comes there.
  virtual NetworkAddress joins_at() const { return {local().address, 0}; }
  // Readable when something has arrived, in the order of what to look at.
  virtual std::span<const int> descriptors() const = 0;
  // Writable, or readable, when a batch may have room again: the one that tells of it now, and all
  // that may.
  virtual int room_descriptor() const { return descriptors().front(); }
  virtual std::span<const int> room_descriptors() const { return descriptors().first(1); }
  // How many datagrams of that length the system keeps until they are received.
  virtual std::size_t receive_queue(std::size_t datagram_bytes) const = 0;

  // Some of what has arrived, valid until the next call. There may be more where has_more().
  virtual std::span<const std::span<std::byte>> receive() = 0;
  // Where the `index`-th of these came from.
  virtual NetworkAddress source(std::size_t index) const = 0;
  virtual bool has_more() const = 0;
  // See BurstTimes; nothing, too, where the link has no clock of arrivals.
  virtual std::optional<Nanoseconds> took(std::size_t /*bytes*/) { return std::nullopt; }
  // Somebody has slept until a descriptor was ready: receive() looks at all of them next.
  virtual void woken() {}

  // Memory for the next datagram, or for several; empty where the batch is full.
  virtual std::span<std::byte> room() = 0;
  // How much of these may be one run.
  virtual RunLimit run_limit() const { return {}; }
  // The first `length` bytes of room() go to `to`. REQUIRES: room() was not empty.
  virtual void add(NetworkAddress to, std::size_t length) = 0;
  // The same as datagrams of `datagram` bytes, the last one of what is left. Links whose room() is
  // for one only need not know of it.
  virtual void add_several(NetworkAddress to, std::size_t length, std::size_t /*datagram*/) {
    add(to, length);
  }
  // How many ways there are for datagrams to one address: the network may take each for a flow of
  // its own, with a rate, a route and a receiving processor of its own. The usual one is 0.
  virtual std::uint32_t paths() const { return 1; }
  // Where datagrams come from that left by the others than the first.
  virtual std::vector<std::uint16_t> other_ports() const { return {}; }
  // What is added from now on goes by it. REQUIRES: path < paths().
  virtual void use_path(std::uint32_t /*path*/) {}
  // Either; `datagram` is 0 where it is one.
  void add_next(NetworkAddress to, std::size_t length, std::size_t datagram) {
    datagram > 0 ? add_several(to, length, datagram) : add(to, length);
  }
  // Whether several datagrams may leave as one message that is cut below, where the link does that.
  virtual void set_cutting(bool /*cuts*/) {}
  virtual bool has_unsent() const = 0;
  // Datagrams that have left since the start.
  virtual std::uint64_t sent() const = 0;
  virtual FrameCounters frames() const { return {}; }
  // Sends as much of the batch as there is room for; returns whether all went.
  virtual bool flush() = 0;

  // The interface was taken away for good: nothing arrives or leaves any more.
  virtual bool is_cut() const { return false; }
  // Addresses where nobody listens any more, as their hosts have said since the last call.
  virtual std::vector<NetworkAddress> refusals() = 0;
};

// Sleeps until something arrives, or for `most`.
void wait_for_arrival(Link& link, Nanoseconds most);

}  // namespace quadrille::wire
