// SPDX-License-Identifier: BSD-3-Clause
// Ethernet frames that hold a UDP datagram over IPv4 (IEEE 802.3; RFC 791, 768), as raw links write
// and read them. Frames of IPv4 options, fragments or other protocols are not read. Check sums of
// UDP are left out in what is written and not looked at in what is read: each packet of the wire
// carries a tag of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/links/address.h"

namespace quadrille::wire {

using HardwareAddress = std::array<std::uint8_t, 6>;

inline constexpr std::size_t ethernet_header_bytes = 14;
inline constexpr std::size_t frame_header_bytes = ethernet_header_bytes + 20 + 8;
// In a frame: where UDP's header begins, and in it its check sum.
inline constexpr std::size_t udp_offset = ethernet_header_bytes + 20;
inline constexpr std::size_t udp_checksum_offset = 6;

struct FrameEnds {
  HardwareAddress to_hardware{};
  HardwareAddress from_hardware{};
  NetworkAddress to;
  NetworkAddress from;
};

// Headers for `payload` bytes. `is_cut`: of a message that is cut further on, who does that wants
// the sum of what all pieces share in place of UDP's check sum.
std::array<std::byte, frame_header_bytes> frame_headers(const FrameEnds& ends, std::size_t payload,
                                                        bool is_cut);

struct Frame {
  NetworkAddress from;
  NetworkAddress to;
  std::span<std::byte> payload;
};

// Nothing where the bytes hold no such frame in whole.
std::optional<Frame> read_frame(std::span<std::byte> bytes);

}  // namespace quadrille::wire
