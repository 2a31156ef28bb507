// SPDX-License-Identifier: BSD-3-Clause
// What happens on a simulated network, by time, and the datagrams that are under way there: plain
// records in memory that is used again, as there are hundreds of millions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/units.h"
#include "wire/packet.h"
#include "wire/simulated/simulated_ports.h"

namespace quadrille::wire {

struct SimulatedEvent {
  enum class Kind : std::uint8_t {
    wake,       // `target` looks at the time
    timer,      // the same, if that is still what it waits for
    interface,  // that of host `target` is free
    at_link,    // `datagram` has come to the port of link `link`, the `hop`-th of its way
    at_port,    // to that of its receivers' host
    out,        // it has passed it
    action,     // of number `target`
  };

  SimulatedMoment at;
  std::uint32_t target = 0;
  std::uint32_t datagram = 0;
  std::uint16_t link = 0;
  std::uint8_t hop = 0;
  Kind kind = Kind::wake;
};

// The earliest first. A heap of four children a node: half the levels of a binary one, and a node's
// children lie side by side.
class SimulatedEvents {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t own_bytes() const { return heap_.capacity() * sizeof(SimulatedEvent); }
  const SimulatedEvent& first() const { return heap_.front(); }
  void push(const SimulatedEvent& event) {
    std::size_t place = heap_.size();
    heap_.push_back(event);
    while (place > 0) {
      const std::size_t parent = (place - 1) / children;
      if (heap_[parent].at <= event.at) break;
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = event;
  }
  SimulatedEvent pop() {
    const SimulatedEvent first = heap_.front();
    const SimulatedEvent last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return first;
    std::size_t place = 0;
    for (;;) {
      const std::size_t begin = place * children + 1;
      if (begin >= heap_.size()) break;
      const std::size_t end = begin + children < heap_.size() ? begin + children : heap_.size();
      std::size_t least = begin;
      for (std::size_t child = begin + 1; child < end; ++child) {
        if (heap_[child].at < heap_[least].at) least = child;
      }
      if (last.at <= heap_[least].at) break;
      heap_[place] = heap_[least];
      place = least;
    }
    heap_[place] = last;
    return first;
  }

 private:
  static constexpr std::size_t children = 4;
  std::vector<SimulatedEvent> heap_;
};

// Datagrams by number; one may be under way to several.
class SimulatedDatagrams {
 public:
  struct Datagram {
    std::vector<std::byte> room;  // its memory is used again
    std::size_t length = 0;
    std::uint32_t holders = 0;
    EndpointId from = 0;
    std::uint32_t flow_hash = 0;
    bool to_group = false;

    std::span<std::byte> bytes() { return std::span(room).first(length); }
  };

  // A copy, which its caller holds.
  std::uint32_t add(std::span<const std::byte> bytes) {
    if (unused_.empty()) {
      unused_.push_back(static_cast<std::uint32_t>(all_.size()));
      all_.emplace_back();
    }
    const std::uint32_t number = unused_.back();
    unused_.pop_back();
    Datagram& datagram = all_[number];
    if (datagram.room.size() < bytes.size()) datagram.room.resize(bytes.size());
    if (!bytes.empty()) std::memcpy(datagram.room.data(), bytes.data(), bytes.size());
    datagram.length = bytes.size();
    datagram.holders = 1;
    return number;
  }
  std::size_t own_bytes() const {
    std::size_t bytes = all_.capacity() * sizeof(Datagram);
    for (const Datagram& datagram : all_) bytes += datagram.room.capacity();
    return bytes;
  }
  Datagram& operator[](std::uint32_t number) { return all_[number]; }
  void hold(std::uint32_t number) { ++all_[number].holders; }
  void release(std::uint32_t number) {
    if (--all_[number].holders == 0) unused_.push_back(number);
  }

 private:
  std::vector<Datagram> all_;
  std::vector<std::uint32_t> unused_;  // the latest last, which the processor still has at hand
};

}  // namespace quadrille::wire
