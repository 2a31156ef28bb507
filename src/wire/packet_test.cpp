// SPDX-License-Identifier: BSD-3-Clause
// Bytes as docs/wire_format.md has them, and what is no packet.
#include "wire/packet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "wire/flow/send_flow.h"

namespace quadrille::wire {
namespace {

std::vector<int> as_numbers(std::span<const std::byte> bytes) {
  std::vector<int> numbers;
  for (const std::byte byte : bytes) numbers.push_back(std::to_integer<int>(byte));
  return numbers;
}

const Header kHeader{Cipher::aegis_128x4,
                     PacketKind::repeated_data,
                     true,
                     0x010203,
                     0x0405,
                     0x060708,
                     0x090a0b,
                     0x0c0d,
                     0x0e0f};
TEST(Packet, the_header_is_sixteen_bytes_in_the_documented_order) {
  std::vector<std::byte> packet(48);
  const auto body = write_header(kHeader, packet);
  EXPECT_EQ(body.data(), packet.data() + 16);
  EXPECT_THAT(as_numbers(std::span(packet).first(16)),
              testing::ElementsAre(0x55, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

TEST(Packet, to_a_group_reports_nothing) {
  Header header = kHeader;
  header.kind = PacketKind::repeated_group_data;
  header.acknowledged = header.granted = 0;
  std::vector<std::byte> packet(overhead_bytes);
  write_header(header, packet);
  ParseError error{};
  const auto parsed = parse_packet(packet, error);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->header, header);
  packet[14] = std::byte{1};
  EXPECT_FALSE(parse_packet(packet, error));
}

TEST(Packet, on_ethernet_carries_eight_bytes_less_than_tcps) {
  EXPECT_EQ(1500 - ip_udp_bytes - overhead_bytes, FlowLimits{}.payload);
  EXPECT_EQ(FlowLimits{}.payload, 1448U - 8);
}

TEST(Packet, what_was_written_is_parsed) {
  std::vector<std::byte> packet(overhead_bytes + 5);
  write_header(kHeader, packet)[4] = std::byte{77};
  ParseError error{};
  const auto parsed = parse_packet(packet, error);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->header, kHeader);
  EXPECT_THAT(as_numbers(parsed->body), testing::ElementsAre(0, 0, 0, 0, 77));
}

TEST(Packet, the_ack_is_in_the_documented_order) {
  Ack ack{0x01020304, 0x05060708, 0x090a0b0c, 0x0d0e0f10, 0x111213, true,
          true,       true,       true,       true,       1,        {}};
  ack.arrived[0] = 0x2122232425262728;
  std::vector<std::byte> body(largest_ack);
  ASSERT_EQ(write_ack(ack, body), 28U);
  EXPECT_THAT(as_numbers(std::span(body).first(28)),
              testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                   19, 31, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28));
  EXPECT_EQ(parse_ack(std::span(body).first(28)), ack);
}

TEST(Packet, what_is_short_or_strange_is_no_packet) {
  std::vector<std::byte> packet(overhead_bytes);
  write_header({}, packet);
  ParseError error{};
  EXPECT_TRUE(parse_packet(packet, error));
  EXPECT_FALSE(parse_packet(std::span(packet).first(overhead_bytes - 1), error));
  EXPECT_EQ(error, ParseError::truncated);
  for (const int version : {0x30, 0x70}) {
    packet[0] = static_cast<std::byte>(version);
    EXPECT_FALSE(parse_packet(packet, error));
    EXPECT_EQ(error, ParseError::version);
  }
  packet[0] = std::byte{0x4c};
  EXPECT_FALSE(parse_packet(packet, error)) << "a kind that there is not";
  EXPECT_EQ(error, ParseError::malformed);
}

TEST(Packet, an_ack_of_another_length_or_with_unknown_flags_is_none) {
  std::vector<std::byte> body(largest_ack, std::byte{0});
  EXPECT_TRUE(parse_ack(std::span(body).first(20)));
  EXPECT_FALSE(parse_ack(std::span(body).first(19)));
  EXPECT_FALSE(parse_ack(std::span(body).first(24)));
  EXPECT_TRUE(parse_ack(std::span(body).first(20 + 16 * 8)));
  EXPECT_FALSE(parse_ack(std::vector<std::byte>(20 + 17 * 8)));
  body[19] = std::byte{32};
  EXPECT_FALSE(parse_ack(std::span(body).first(20)));
}

}  // namespace
}  // namespace quadrille::wire
