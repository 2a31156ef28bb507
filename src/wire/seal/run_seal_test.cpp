// SPDX-License-Identifier: BSD-3-Clause
#include "wire/seal/run_seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace quadrille::wire {
namespace {

using Parts = std::vector<std::span<const std::byte>>;

TEST(RunSeal, is_gmac_with_channel_and_number_as_its_nonce) {
  RunSeal seal(Key{});
  // D. McGrew, J. Viega, The Galois/Counter Mode of Operation, test case 1: all is zero.
  constexpr std::array tag{0x58, 0xe2, 0xfc, 0xce, 0xfa, 0x7e, 0x30, 0x61,
                           0x36, 0x7f, 0x1d, 0x57, 0xa4, 0xe7, 0x45, 0x5a};
  const RunTag found = seal.tag(0, 0, Parts{});
  for (std::size_t i = 0; i < tag.size(); ++i) EXPECT_EQ(std::to_integer<int>(found[i]), tag[i]);
}

TEST(RunSeal, takes_nothing_that_differs_in_a_bit_a_number_or_a_key) {
  RunSeal seal(Key{std::byte{1}});
  std::vector<std::byte> bytes(3000, std::byte{7});
  const auto parts = [&](std::size_t cut) {
    return Parts{std::span(bytes).first(cut), std::span(bytes).subspan(cut)};
  };
  const RunTag tag = seal.tag(5, 9, parts(1448));
  EXPECT_TRUE(seal.is_tag(tag, 5, 9, parts(1448)));
  EXPECT_TRUE(seal.is_tag(tag, 5, 9, parts(17))) << "it is of the bytes, however they are cut";
  EXPECT_FALSE(seal.is_tag(tag, 5, 10, parts(1448)));
  EXPECT_FALSE(seal.is_tag(tag, 6, 9, parts(1448)));
  EXPECT_FALSE(RunSeal(Key{std::byte{2}}).is_tag(tag, 5, 9, parts(1448)));
  bytes[2999] ^= std::byte{1};
  EXPECT_FALSE(seal.is_tag(tag, 5, 9, parts(1448)));
}

TEST(RunSeal, has_another_key_than_packets_and_each_direction_its_own) {
  const Secret secret{std::byte{3}};
  const Key key = key_between(secret, 1, 2);
  EXPECT_NE(run_key(secret, key), run_key(secret, key_between(secret, 2, 1)));
  EXPECT_NE(run_key(secret, key), key);
}

}  // namespace
}  // namespace quadrille::wire
