// SPDX-License-Identifier: BSD-3-Clause
// The ports of simulated switches: each carries one datagram at a time and holds what waits for it
// in a buffer of its own; what does not fit is dropped. Switches are joined as a tree, by one port
// or by several side by side, of which a flow takes one, as by ECMP: so a tree of two levels whose
// upper place stands for all spines is a leaf-spine network, way `i` of each trunk leads to spine
// `i`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/units.h"

namespace quadrille::wire {

// Where the clock of events stands: of two at one time the one that was put down first is first.
struct SimulatedMoment {
  Nanoseconds time{};
  std::uint64_t order = 0;
  auto operator<=>(const SimulatedMoment&) const = default;
};

class SimulatedPort {
 public:
  SimulatedPort(double rate_bit_s, std::size_t buffer_bytes)
      : rate_bit_s_(rate_bit_s), buffer_bytes_(buffer_bytes) {}

  // How long so many bytes of a datagram take, their framing besides.
  Nanoseconds time_of(std::size_t bytes) const;
  // Whether there is room for the datagram; else it counts as dropped.
  bool has_room(std::size_t bytes, const SimulatedMoment& now);
  // When it will have left; `order` is that event's. REQUIRES: has_room().
  Nanoseconds take(std::size_t bytes, Nanoseconds now, std::uint64_t order);

  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t carried_bytes() const { return carried_bytes_; }
  std::size_t most_queued() const { return most_queued_; }
  Nanoseconds busy() const { return busy_; }

 private:
  struct Leaving {
    SimulatedMoment at;
    std::size_t bytes = 0;
  };

  double rate_bit_s_;
  std::size_t buffer_bytes_;
  Nanoseconds free_{};
  std::size_t queued_ = 0;  // bytes; those of what has left until somebody looks
  std::deque<Leaving> leaving_;
  std::uint64_t dropped_ = 0;
  std::uint64_t carried_bytes_ = 0;
  std::size_t most_queued_ = 0;
  Nanoseconds busy_{};
};

// What joins two switches.
struct SimulatedTrunk {
  std::uint32_t first = 0;  // switches
  std::uint32_t second = 0;
  std::uint32_t ways = 1;    // side by side
  double forward_bit_s = 0;  // of each way; first to second
  double backward_bit_s = 0;
  std::size_t forward_buffer_bytes = 0;
  std::size_t backward_buffer_bytes = 0;
  Nanoseconds latency{};  // from one switch into the next
};

// One direction of a trunk.
struct SimulatedLink {
  std::uint32_t from = 0;  // switches
  std::uint32_t to = 0;
  std::uint32_t first_port = 0;
  std::uint32_t ways = 1;
  Nanoseconds latency{};
};

// The trunks of switches 0 to `switches` - 1, and which of them lead from one to another.
// REQUIRES: trunks form a tree that reaches all switches.
class SimulatedTree {
 public:
  SimulatedTree(std::uint32_t switches, std::span<const SimulatedTrunk> trunks);

  // Links in the order in which they are passed.
  std::span<const std::uint16_t> way(std::uint32_t from, std::uint32_t to) const {
    const std::size_t pair = std::size_t{from} * switches_ + to;
    return {passed_.data() + first_[pair], first_[pair + 1] - first_[pair]};
  }
  const SimulatedLink& link(std::uint16_t index) const { return links_[index]; }
  // Those that leave it.
  std::span<const std::uint16_t> links_of(std::uint32_t place) const { return of_switch_[place]; }
  // The port of the link that a flow takes.
  SimulatedPort& port(const SimulatedLink& link, std::uint32_t flow_hash) {
    return ports_[link.first_port + flow_hash % link.ways];
  }
  std::span<const SimulatedLink> links() const { return links_; }
  std::span<const SimulatedPort> ports() const { return ports_; }

 private:
  std::uint32_t switches_;
  std::vector<SimulatedLink> links_;
  std::vector<SimulatedPort> ports_;
  std::vector<std::vector<std::uint16_t>> of_switch_;
  std::vector<std::uint16_t> passed_;
  std::vector<std::size_t> first_;  // [switches * switches + 1], into passed_
};

}  // namespace quadrille::wire
