// SPDX-License-Identifier: BSD-3-Clause
// What payload costs on the wire: it goes in packets, and each of them carries headers.
#pragma once

#include <cstdint>

namespace quadrille {

// Each `payload` bytes begun carry `overhead` more. {1, 0} is payload alone.
struct Framing {
  std::uint64_t payload = 1;   // bytes in a full frame
  std::uint64_t overhead = 0;  // bytes more in each frame

  constexpr std::uint64_t frame() const { return payload + overhead; }
  constexpr std::uint64_t on_wire(std::uint64_t bytes) const {
    return bytes + (bytes + payload - 1) / payload * overhead;
  }
};

inline constexpr Framing kPayloadOnly{1, 0};
// TCP with time stamps over IPv4 and Ethernet at MTU 1500: 1448 of 1514 bytes, as an emulated link
// counts them.
inline constexpr Framing kTcpFrames{1448, 66};
// The same on a cable: 1448 of 1538 bytes with preamble, check sequence and gap between frames.
inline constexpr Framing kTcpSlots{1448, 90};

}  // namespace quadrille
