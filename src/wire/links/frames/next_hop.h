// SPDX-License-Identifier: BSD-3-Clause
// By which interface the system sends to an address, and to which hardware there: the kernel's own
// tables of routes (rtnetlink(7)) and neighbours (SIOCGARP, arp(7)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "wire/links/descriptor.h"
#include "wire/links/frames/frame.h"

namespace quadrille::wire {

// An interface that carries Ethernet frames, or the loopback, which takes the same.
struct EthernetInterface {
  unsigned index = 0;
  std::string name;
  bool resolves = true;  // hardware addresses; the loopback has none
  std::size_t mtu_bytes = 1500;
};

// The one that has `address` (in the host's byte order).
Result<EthernetInterface> ethernet_interface(std::uint32_t address);
// The one of that name, where the socket `descriptor` is.
Result<EthernetInterface> ethernet_interface(int descriptor, std::string name);

// A socket to ask for routes by.
Descriptor open_routes();

class NextHops {
 public:
  // `asks`: a UDP socket, of the namespace where the interface is. REQUIRES: it stays open.
  NextHops(EthernetInterface interface, Descriptor routes, int asks);

  // Where frames for `address` go that leave by the interface; nothing where the system would take
  // another, or does not know yet.
  std::optional<HardwareAddress> find(std::uint32_t address) const;
  // The interface's own; it changes where it is set anew, or a bond's that fails over. Nothing
  // where the interface is gone.
  std::optional<HardwareAddress> own() const;

 private:
  EthernetInterface interface_;
  Descriptor routes_;
  int asks_;  // of interface and neighbours
};

}  // namespace quadrille::wire
