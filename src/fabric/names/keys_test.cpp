// SPDX-License-Identifier: BSD-3-Clause
// Names, keys, introductions.
#include "fabric/names/keys.h"

#include <gtest/gtest.h>

#include <vector>

#include "fabric/names/introduction.h"

namespace quadrille::fabric {
namespace {

class Keys : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(wire::start_cryptography()); }
  static EndpointName name(const KeyPair& keys, std::uint16_t port) {
    return {{0x0a000001, port}, 1440, keys.public_key()};
  }
  const std::optional<wire::Secret> job_ = secret_from_digits("00112233445566778899aabbccddeeff");
};

TEST_F(Keys, a_name_survives_its_bytes_and_nothing_else_is_one) {
  const KeyPair keys;
  const EndpointName one = name(keys, 40'000);
  auto bytes = encode(one);
  EXPECT_EQ(decode_name(bytes), one);
  EXPECT_EQ(text_of(one).substr(0, 28), "quadrille://10.0.0.1:40000/" + text_of(one).substr(27, 1));
  EXPECT_FALSE(decode_name(std::span(bytes).first(name_bytes - 1)));
  bytes[0] ^= std::byte{1};
  EXPECT_FALSE(decode_name(bytes));
  EXPECT_FALSE(decode_name(encode({{0x0a000001, 0}, 1440, {}}))) << "no port";
  EXPECT_FALSE(decode_name(encode({{0x0a000001, 1}, 20, {}}))) << "no room for a header";
}

TEST_F(Keys, both_ends_find_the_same_secret_and_others_do_not) {
  const KeyPair a;
  const KeyPair b;
  const KeyPair c;
  const auto shared = a.secret_with(b.public_key(), job_);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared, b.secret_with(a.public_key(), job_));
  EXPECT_NE(shared, c.secret_with(a.public_key(), job_));
  EXPECT_NE(shared, a.secret_with(b.public_key(), std::nullopt)) << "the job's secret matters";
}

TEST_F(Keys, a_key_of_small_order_is_refused) {
  EXPECT_FALSE(KeyPair().secret_with(PublicKey{}, job_));
}

TEST_F(Keys, a_job_secret_is_32_digits) {
  EXPECT_TRUE(job_);
  EXPECT_FALSE(secret_from_digits(""));
  EXPECT_FALSE(secret_from_digits("0011"));
  EXPECT_FALSE(secret_from_digits("00112233445566778899aabbccddeefx"));
}

TEST_F(Keys, an_introduction_holds_for_its_sender_and_its_receiver_only) {
  const KeyPair a;
  const KeyPair b;
  const auto secret = *a.secret_with(b.public_key(), job_);
  std::vector<std::byte> datagram(introduction_bytes);
  write_introduction(name(a, 1), name(b, 2), secret, datagram);
  ASSERT_TRUE(is_introduction(datagram));
  EXPECT_EQ(claimed_name(datagram), name(a, 1));
  EXPECT_TRUE(is_genuine(datagram, name(b, 2), secret));
  EXPECT_FALSE(is_genuine(datagram, name(b, 3), secret));
  EXPECT_FALSE(is_genuine(datagram, name(b, 2), *a.secret_with(b.public_key(), std::nullopt)));
  for (const std::size_t at : {9U, 20U, 50U}) {
    auto altered = datagram;
    altered[at] ^= std::byte{4};
    EXPECT_FALSE(is_genuine(altered, name(b, 2), secret)) << at;
  }
}

}  // namespace
}  // namespace quadrille::fabric
