// SPDX-License-Identifier: BSD-3-Clause
// What travels: bytes and their meaning, one to one with docs/wire_format.md. Numbers are
// big-endian.
//
//   offset  width  of every packet
//   0       1      version and cipher (upper 4 bits), kind (next 3), last packet of its message
//                  (lowest)
//   1       3      endpoint that sends
//   4       2      channel
//   6       3      sequence number of a data packet, running number of an ACK; lower bits
//   9       3      place of a data packet in its message, counted in packets; 0 in an ACK
//   12      2      all packets before this number have arrived; lower bits; 0 in data to a group
//   14      2      packets before this number may be sent; lower bits; 0 in data to a group
//   16             data: payload; ACK: its body; encrypted
//   end-16  16     authentication tag
//
// Parsing checks what can be seen in the header and the length alone; who sent them is told by the
// tag (wire/seal).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/links/link.h"

namespace quadrille::wire {

using EndpointId = std::uint32_t;  // below 2^24
using Channel = std::uint16_t;     // one communicator's messages

// How a packet of this version, the fourth, is sealed: its sender's choice. As in its upper 4 bits.
enum class Cipher : std::uint8_t { aegis_128l = 4, aegis_128x4 = 5, xchacha20_poly1305 = 6 };
constexpr std::size_t header_bytes = 16;
constexpr std::size_t tag_bytes = 16;
constexpr std::size_t overhead_bytes = header_bytes + tag_bytes;
constexpr unsigned sequence_bits = 24;
constexpr unsigned place_bits = 24;
constexpr unsigned acknowledged_bits = 16;
constexpr unsigned ack_bits = 32;
// Words of 64 packets behind the first missing one of which an ACK tells.
constexpr std::size_t most_ack_words = 16;

enum class PacketKind : std::uint8_t {
  data = 0,
  ack = 1,
  repeated_data = 2,
  group_data = 3,  // one datagram for several receivers
  repeated_group_data = 4,
  group_announcement = 5,  // packets before its number wait for a group; no body
};

struct Header {
  Cipher cipher = Cipher::aegis_128l;
  PacketKind kind = PacketKind::data;
  bool last = false;
  EndpointId sender = 0;
  Channel channel = 0;
  std::uint32_t sequence = 0;
  std::uint32_t place = 0;
  std::uint16_t acknowledged = 0;
  std::uint16_t granted = 0;

  bool is_to_group() const { return kind >= PacketKind::group_data; }
  bool operator==(const Header&) const = default;
};

// How both directions of a channel stand, as one end sees them; its numbers only ever grow, so an
// old one tells nothing and harms nothing.
//
//   offset  width  in the body
//   0       4      all packets before this number have arrived
//   4       4      packets before this number may be sent
//   8       4      the announcement that was heard: packets before this number wait to be sent
//   12      4      own announcement
//   16      3      running number of the last ACK heard that asked for an answer
//   19      1      lowest bit: asks for an answer; next: hears no datagrams of the other end;
//                  next: has heard one that went to several, of late; next: takes and sends
//                  nothing of the channel any more; next: its host's budget has grown to four
//                  times where it began: room for more that is eager, and for runs to groups
//   20      8 n    bit i of word w: packet acknowledged + 1 + 64 w + i has arrived
struct Ack {
  std::uint32_t acknowledged = 0;
  std::uint32_t granted = 0;
  std::uint32_t heard = 0;
  std::uint32_t announced = 0;
  std::uint32_t answers = 0;
  bool asks = false;
  bool receive_loss = false;
  bool hears_groups = false;  // see GroupHearing
  bool failed = false;        // see Endpoint::abandon()
  bool eager_room = false;    // see FlowLimits::eager
  std::uint8_t words = 0;     // of `arrived` that are used
  std::array<std::uint64_t, most_ack_words> arrived{};

  bool operator==(const Ack&) const = default;
};

constexpr std::size_t ack_body_bytes = 20;
constexpr std::size_t largest_ack = overhead_bytes + ack_body_bytes + 8 * most_ack_words;

// Writes the header and returns what follows it. REQUIRES: room for `header_bytes`; numbers within
// their widths.
std::span<std::byte> write_header(const Header& header, std::span<std::byte> packet);
// Writes an ACK's body and returns its length. REQUIRES: room for it.
std::size_t write_ack(const Ack& ack, std::span<std::byte> body);

struct Parsed {
  Header header;
  std::span<const std::byte> body;  // between header and tag; encrypted, until unseal()
};

enum class ParseError : std::uint8_t { none, truncated, version, malformed };

// `error` says why nothing came out.
std::optional<Parsed> parse_packet(std::span<const std::byte> packet, ParseError& error);
std::optional<Ack> parse_ack(std::span<const std::byte> body);

}  // namespace quadrille::wire
