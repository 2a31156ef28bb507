// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/frames/frame.h"

#include <netinet/in.h>

#include <algorithm>

#include "base/big_endian.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t ip_bytes = 20;
constexpr std::size_t udp_bytes = 8;
constexpr std::uint16_t ethertype_ip = 0x0800;
constexpr std::uint8_t version_and_length = 0x45;
constexpr std::uint16_t never_fragment = 0x4000;
constexpr std::uint16_t fragment_bits = 0x3fff;  // more to come, or not the first
constexpr std::uint8_t time_to_live = 64;

void put8(std::byte* at, unsigned value) { *at = static_cast<std::byte>(value); }
void put16(std::byte* at, unsigned value) { put_big_endian({at, 2}, value); }
void put32(std::byte* at, std::uint32_t value) { put_big_endian({at, 4}, value); }
std::uint16_t get16(const std::byte* at) {
  return static_cast<std::uint16_t>(get_big_endian({at, 2}));
}
std::uint32_t get32(const std::byte* at) {
  return static_cast<std::uint32_t>(get_big_endian({at, 4}));
}

// RFC 1071, not complemented.
std::uint16_t fold(std::uint32_t sum) {
  while (sum > 0xffffU) sum = (sum & 0xffffU) + (sum >> 16U);
  return static_cast<std::uint16_t>(sum);
}
std::uint32_t halves(std::uint32_t value) { return (value >> 16U) + (value & 0xffffU); }

}  // namespace

std::array<std::byte, frame_header_bytes> frame_headers(const FrameEnds& ends, std::size_t payload,
                                                        bool is_cut) {
  std::array<std::byte, frame_header_bytes> made{};
  std::byte* ethernet = made.data();
  const auto as_bytes = [](std::uint8_t value) { return static_cast<std::byte>(value); };
  std::ranges::transform(ends.to_hardware, ethernet, as_bytes);
  std::ranges::transform(ends.from_hardware, ethernet + ends.to_hardware.size(), as_bytes);
  put16(ethernet + 12, ethertype_ip);
  std::byte* ip = ethernet + ethernet_header_bytes;
  const auto ip_length = static_cast<std::uint16_t>(ip_bytes + udp_bytes + payload);
  put8(ip, version_and_length);
  put16(ip + 2, ip_length);
  put16(ip + 6, never_fragment);
  put8(ip + 8, time_to_live);
  put8(ip + 9, IPPROTO_UDP);
  put32(ip + 12, ends.from.address);
  put32(ip + 16, ends.to.address);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < ip_bytes; i += 2) sum += get16(ip + i);
  put16(ip + 10, static_cast<std::uint16_t>(~fold(sum)));
  std::byte* udp = ip + ip_bytes;
  const auto udp_length = static_cast<std::uint16_t>(udp_bytes + payload);
  put16(udp, ends.from.port);
  put16(udp + 2, ends.to.port);
  put16(udp + 4, udp_length);
  if (is_cut) {
    put16(udp + udp_checksum_offset,
          fold(halves(ends.from.address) + halves(ends.to.address) + IPPROTO_UDP + udp_length));
  }
  return made;
}

std::optional<Frame> read_frame(std::span<std::byte> bytes) {
  if (bytes.size() < frame_header_bytes) return std::nullopt;
  const std::byte* ethernet = bytes.data();
  const std::byte* ip = ethernet + ethernet_header_bytes;
  if (get16(ethernet + 12) != ethertype_ip ||
      std::to_integer<unsigned>(ip[0]) != version_and_length)
    return std::nullopt;
  if ((get16(ip + 6) & fragment_bits) != 0 || std::to_integer<int>(ip[9]) != IPPROTO_UDP)
    return std::nullopt;
  const std::byte* udp = ip + ip_bytes;
  const std::size_t length = get16(udp + 4);
  if (length < udp_bytes || get16(ip + 2) < ip_bytes + length || bytes.size() < udp_offset + length)
    return std::nullopt;
  return Frame{.from = {get32(ip + 12), get16(udp)},
               .to = {get32(ip + 16), get16(udp + 2)},
               .payload = bytes.subspan(frame_header_bytes, length - udp_bytes)};
}

}  // namespace quadrille::wire
