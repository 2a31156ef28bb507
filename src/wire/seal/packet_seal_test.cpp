// SPDX-License-Identifier: BSD-3-Clause
// One bit, another key, another number: no packet. By each cipher.
#include "wire/seal/packet_seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace quadrille::wire {
namespace {

class PacketSeal : public testing::TestWithParam<Cipher> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(start_cryptography());
    chosen_ = sealed_by();
    seal_by(GetParam());
    header_.sender = 1;
    header_.channel = 7;
    header_.sequence = 17;
    header_.acknowledged = 0x4321;
    header_.granted = 0x0102;
    sealed(body_);
  }
  void TearDown() override { seal_by(chosen_); }

  void sealed(const std::vector<std::byte>& body) {
    packet_.resize(overhead_bytes + body.size());
    ASSERT_EQ(seal(key_, header_, numbers_, body, packet_), packet_.size());
  }
  // Of a copy, as the body is decrypted where it is.
  static bool opens(const Key& key, const WholeNumbers& numbers, std::vector<std::byte> packet) {
    ParseError error{};
    const auto parsed = parse_packet(packet, error);
    return parsed && unseal(key, parsed->header, numbers, packet, packet.data() + header_bytes);
  }

  Cipher chosen_{};
  Key key_ = key_between(Secret{std::byte{9}}, 1, 2);
  Header header_;
  WholeNumbers numbers_{.number = (std::uint64_t{5} << 24U) + 17, .acknowledged = 0x1234'4321};
  std::vector<std::byte> body_ = std::vector<std::byte>(100, std::byte{0x5a});
  std::vector<std::byte> packet_;
};

TEST_P(PacketSeal, opens_to_what_was_sealed) {
  for (const std::size_t length : {0U, 1U, 15U, 64U, 1440U, 9000U}) {
    std::vector<std::byte> body(length);
    for (std::size_t i = 0; i < length; ++i) body[i] = static_cast<std::byte>(i * 7 & 0xffU);
    sealed(body);
    ParseError error{};
    const auto parsed = parse_packet(packet_, error);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->header.cipher, GetParam());
    EXPECT_TRUE(length < 15 || !std::ranges::equal(parsed->body, body)) << "it is secret";
    ASSERT_TRUE(unseal(key_, parsed->header, numbers_, packet_, packet_.data() + header_bytes));
    EXPECT_TRUE(std::ranges::equal(parsed->body, body)) << length;
  }
}

TEST_P(PacketSeal, may_be_where_the_body_is) {
  std::vector<std::byte> room(packet_.size());
  std::ranges::copy(body_, room.begin() + header_bytes);
  seal(key_, header_, numbers_, std::span(room).subspan(header_bytes, body_.size()), room);
  EXPECT_EQ(room, packet_);
}

TEST_P(PacketSeal, opens_to_another_place) {
  ParseError error{};
  const auto parsed = parse_packet(packet_, error);
  std::vector<std::byte> elsewhere(body_.size());
  ASSERT_TRUE(unseal(key_, parsed->header, numbers_, packet_, elsewhere.data()));
  EXPECT_EQ(elsewhere, body_);
}

TEST_P(PacketSeal, shows_any_changed_bit) {
  for (std::size_t bit = 0; bit < packet_.size() * 8; ++bit) {
    packet_[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_FALSE(opens(key_, numbers_, packet_)) << bit;
    packet_[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
  }
  EXPECT_TRUE(opens(key_, numbers_, packet_));
}

TEST_P(PacketSeal, is_of_its_whole_numbers) {
  WholeNumbers later = numbers_;
  later.number += std::uint64_t{1} << sequence_bits;
  EXPECT_FALSE(opens(key_, later, packet_));
  WholeNumbers other = numbers_;
  other.acknowledged += std::uint64_t{1} << acknowledged_bits;
  EXPECT_FALSE(opens(key_, other, packet_));
}

// Else two texts could be told from what they have in common.
TEST_P(PacketSeal, hides_one_body_in_another_way_for_each_kind_number_and_report) {
  std::set<std::vector<std::byte>> seen;
  const auto see = [&] {
    sealed(body_);
    return seen.insert({packet_.begin() + header_bytes, packet_.end()}).second;
  };
  EXPECT_TRUE(see());
  EXPECT_FALSE(see()) << "the same packet";
  header_.kind = PacketKind::repeated_data;
  EXPECT_TRUE(see());
  header_.channel = 8;
  EXPECT_TRUE(see());
  header_.granted = 0x0103;
  EXPECT_TRUE(see());
  numbers_.number += std::uint64_t{1} << 40U;
  EXPECT_TRUE(see());
  numbers_.acknowledged += std::uint64_t{1} << 32U;
  EXPECT_TRUE(see());
}

TEST_P(PacketSeal, keys_differ_by_direction_pair_and_job) {
  EXPECT_FALSE(opens(key_between(Secret{std::byte{9}}, 2, 1), numbers_, packet_));
  EXPECT_FALSE(opens(key_between(Secret{std::byte{9}}, 1, 3), numbers_, packet_));
  EXPECT_FALSE(opens(key_between(Secret{std::byte{8}}, 1, 2), numbers_, packet_));
  EXPECT_FALSE(
      opens(key_between(secret_of_start(Secret{std::byte{9}}, {}), 1, 2), numbers_, packet_));
  EXPECT_NE(secret_of_start({}, Secret{std::byte{1}}), secret_of_start({}, Secret{std::byte{2}}));
  const std::vector<EndpointId> pair{2};
  EXPECT_FALSE(opens(key_of_group(Secret{std::byte{9}}, 1, pair), numbers_, packet_));
  EXPECT_TRUE(opens(key_between(Secret{std::byte{9}}, 1, 2), numbers_, packet_));
}

INSTANTIATE_TEST_SUITE_P(by, PacketSeal,
                         testing::Values(Cipher::aegis_128l, Cipher::aegis_128x4,
                                         Cipher::xchacha20_poly1305));

std::string hex_of(std::span<const std::byte> bytes) {
  std::string hex;
  for (const std::byte byte : bytes) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", std::to_integer<unsigned>(byte));
    hex += digits.data();
  }
  return hex;
}

// Hosts of other makes are to write the same.
TEST(SealedPacket, is_always_the_same) {
  ASSERT_TRUE(start_cryptography());
  const Cipher chosen = sealed_by();
  Header header;
  header.sender = 3;
  header.sequence = 1;
  const std::vector<std::byte> body(4, std::byte{'a'});
  const Key key = key_between({}, 3, 4);
  std::vector<std::string> written;
  for (const Cipher cipher :
       {Cipher::aegis_128l, Cipher::aegis_128x4, Cipher::xchacha20_poly1305}) {
    seal_by(cipher);
    std::vector<std::byte> packet(overhead_bytes + body.size());
    seal(key, header, {.number = 1}, body, packet);
    written.push_back(hex_of(packet));
  }
  seal_by(chosen);
  EXPECT_THAT(written, testing::ElementsAre("40000003000000000100000000000000"
                                            "a5657967929c73044d78c066d1a3684118886b8d",
                                            "50000003000000000100000000000000"
                                            "0b56010b8df8fae59b08cd0bf93dbc672ede0526",
                                            "60000003000000000100000000000000"
                                            "290c77a1c272c2af4399bf96c57298917a1a13d1"));
}

}  // namespace
}  // namespace quadrille::wire
