// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/message_format.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace quadrille::fabric {
namespace {

TEST(MessageFormat, heads_survive_their_bytes) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    const bool has_rest = (bits & 8U) != 0;
    if (has_rest && (bits & 4U) != 0) continue;
    Head head;
    head.tagged = (bits & 1U) != 0;
    if (head.tagged) head.tag = 0x8123456789abcdef;
    if ((bits & 2U) != 0) head.data = 0xfedcba9876543210;
    head.offered = (bits & 4U) != 0;
    head.length = head.offered || has_rest ? 0x0123456789abcdef : 3;
    if (head.offered) head.offer = 0x89abcdef;
    std::vector<std::byte> bytes(largest_head + 3);
    bytes.resize(write_head(head, 3, bytes) + (head.offered ? 0 : 3));
    const auto parsed = parse_message(bytes);
    ASSERT_TRUE(parsed) << bits;
    EXPECT_EQ(parsed->head, head) << bits;
    EXPECT_EQ(parsed->payload.size(), head.offered ? 0U : 3U);
    if (!head.offered) continue;
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_FALSE(parse_message(std::span(bytes).first(length))) << bits << ' ' << length;
  }
}

TEST(MessageFormat, the_bytes_stand_where_the_tables_say) {
  std::array<std::byte, largest_head> bytes{};
  EXPECT_EQ(write_head({.tagged = true,
                        .tag = 0x0102030405060708,
                        .data = {},
                        .offered = true,
                        .length = 0x1112131415161718,
                        .offer = 0x21222324},
                       0, bytes),
            21U);
  EXPECT_EQ(bytes[0], std::byte{5});
  EXPECT_EQ(bytes[1], std::byte{1});
  EXPECT_EQ(bytes[9], std::byte{0x11});
  EXPECT_EQ(bytes[20], std::byte{0x24});
  std::array<std::byte, largest_control> control{};
  EXPECT_EQ(write_control({.freed = 0x01020304, .calls = true, .offer = 5, .bytes = 6}, control),
            17U);
  EXPECT_EQ(control[0], std::byte{1});
  EXPECT_EQ(control[4], std::byte{4});
  EXPECT_EQ(control[8], std::byte{5});
  EXPECT_EQ(control[16], std::byte{6});
}

TEST(MessageFormat, control_survives_its_bytes_and_nothing_longer_or_shorter_is_any) {
  for (const Control& control : {Control{.freed = 7}, Control{9, true, 10, 1ULL << 40}}) {
    std::vector<std::byte> bytes(largest_control);
    bytes.resize(write_control(control, bytes));
    EXPECT_EQ(parse_control(bytes), control);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_FALSE(parse_control(std::span(bytes).first(length)));
    bytes.push_back({});
    EXPECT_FALSE(parse_control(bytes));
  }
}

TEST(MessageFormat, random_bytes_are_parsed_or_refused) {
  std::mt19937 chance(5);
  std::size_t parsed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes(chance() % 40);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(chance() % 9);
    const auto message = parse_message(bytes);
    if (message) ++parsed;
    if (message && !message->head.offered) {
      const bool has_rest = (std::to_integer<unsigned>(bytes.front()) & 8U) != 0;
      EXPECT_EQ(message->head.length > message->payload.size(), has_rest);
    }
    parse_control(bytes);
  }
  EXPECT_GT(parsed, 1000U);
}

}  // namespace
}  // namespace quadrille::fabric
