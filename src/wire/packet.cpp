// SPDX-License-Identifier: BSD-3-Clause
// Bytes to numbers and back.
#include "wire/packet.h"

#include <algorithm>

#include "base/big_endian.h"

namespace quadrille::wire {
namespace {

constexpr std::uint64_t asks_bit = 1;
constexpr std::uint64_t receive_loss_bit = 2;
constexpr std::uint64_t hears_groups_bit = 4;
constexpr std::uint64_t failed_bit = 8;
constexpr std::uint64_t eager_room_bit = 16;

bool is_known(Cipher cipher) {
  return cipher >= Cipher::aegis_128l && cipher <= Cipher::xchacha20_poly1305;
}

void put(std::span<std::byte> bytes, std::size_t offset, std::size_t width, std::uint64_t value) {
  put_big_endian(bytes.subspan(offset, width), value);
}

std::uint64_t get(std::span<const std::byte> bytes, std::size_t offset, std::size_t width) {
  return get_big_endian(bytes.subspan(offset, width));
}

}  // namespace

std::span<std::byte> write_header(const Header& header, std::span<std::byte> packet) {
  const std::uint64_t first = static_cast<unsigned>(header.cipher) << 4 |
                              static_cast<unsigned>(header.kind) << 1 |
                              static_cast<unsigned>(header.last);
  const std::uint64_t sender = header.sender;
  const std::uint64_t channel = header.channel;
  const std::uint64_t sequence = header.sequence;
  const std::uint64_t place = header.place;
  const std::uint64_t acknowledged = header.acknowledged;
  put_word(packet.data(), first << 56U | sender << 32U | channel << 16U | sequence >> 8U);
  put_word(packet.data() + 8,
           (sequence & 0xffU) << 56U | place << 32U | acknowledged << 16U | header.granted);
  return packet.subspan(header_bytes);
}

std::size_t write_ack(const Ack& ack, std::span<std::byte> body) {
  put(body, 0, 4, ack.acknowledged);
  put(body, 4, 4, ack.granted);
  put(body, 8, 4, ack.heard);
  put(body, 12, 4, ack.announced);
  put(body, 16, 3, ack.answers);
  put(body, 19, 1,
      (ack.asks ? asks_bit : 0) | (ack.receive_loss ? receive_loss_bit : 0) |
          (ack.hears_groups ? hears_groups_bit : 0) | (ack.failed ? failed_bit : 0) |
          (ack.eager_room ? eager_room_bit : 0));
  for (std::size_t word = 0; word < ack.words; ++word)
    put(body, ack_body_bytes + 8 * word, 8, ack.arrived[word]);
  return ack_body_bytes + std::size_t{8} * ack.words;
}

std::optional<Parsed> parse_packet(std::span<const std::byte> packet, ParseError& error) {
  error = ParseError::truncated;
  if (packet.size() < overhead_bytes) return std::nullopt;
  const std::uint64_t words[] = {get_word(packet.data()), get_word(packet.data() + 8)};
  const auto first = static_cast<unsigned>(words[0] >> 56U);
  error = ParseError::version;
  Parsed parsed;
  parsed.header.cipher = static_cast<Cipher>(first >> 4);
  if (!is_known(parsed.header.cipher)) return std::nullopt;
  error = ParseError::malformed;
  parsed.header.kind = static_cast<PacketKind>(first >> 1 & 7U);
  if (parsed.header.kind > PacketKind::group_announcement) return std::nullopt;
  parsed.header.last = (first & 1U) != 0;
  parsed.header.sender = static_cast<EndpointId>(words[0] >> 32U & 0xffffffU);
  parsed.header.channel = static_cast<Channel>(words[0] >> 16U & 0xffffU);
  parsed.header.sequence = static_cast<std::uint32_t>((words[0] & 0xffffU) << 8U | words[1] >> 56U);
  parsed.header.place = static_cast<std::uint32_t>(words[1] >> 32U & 0xffffffU);
  parsed.header.acknowledged = static_cast<std::uint16_t>(words[1] >> 16U & 0xffffU);
  parsed.header.granted = static_cast<std::uint16_t>(words[1] & 0xffffU);
  const bool reports = parsed.header.acknowledged != 0 || parsed.header.granted != 0;
  if (parsed.header.is_to_group() && reports) return std::nullopt;
  parsed.body = packet.subspan(header_bytes, packet.size() - overhead_bytes);
  error = ParseError::none;
  return parsed;
}

std::optional<Ack> parse_ack(std::span<const std::byte> body) {
  if (body.size() < ack_body_bytes || body.size() % 8 != ack_body_bytes % 8) return std::nullopt;
  const std::size_t words = (body.size() - ack_body_bytes) / 8;
  if (words > most_ack_words) return std::nullopt;
  Ack ack;
  ack.acknowledged = static_cast<std::uint32_t>(get(body, 0, 4));
  ack.granted = static_cast<std::uint32_t>(get(body, 4, 4));
  ack.heard = static_cast<std::uint32_t>(get(body, 8, 4));
  ack.announced = static_cast<std::uint32_t>(get(body, 12, 4));
  ack.answers = static_cast<std::uint32_t>(get(body, 16, 3));
  const auto flags = get(body, 19, 1);
  if ((flags & ~(asks_bit | receive_loss_bit | hears_groups_bit | failed_bit | eager_room_bit)) !=
      0)
    return std::nullopt;
  ack.asks = (flags & asks_bit) != 0;
  ack.receive_loss = (flags & receive_loss_bit) != 0;
  ack.hears_groups = (flags & hears_groups_bit) != 0;
  ack.failed = (flags & failed_bit) != 0;
  ack.eager_room = (flags & eager_room_bit) != 0;
  ack.words = static_cast<std::uint8_t>(words);
  for (std::size_t word = 0; word < words; ++word)
    ack.arrived[word] = get(body, ack_body_bytes + 8 * word, 8);
  return ack;
}

}  // namespace quadrille::wire
