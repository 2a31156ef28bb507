// SPDX-License-Identifier: BSD-3-Clause
// One bit, another key, another number: no packet.
#include "wire/seal/authentication.h"

#include <gtest/gtest.h>

#include <vector>

namespace quadrille::wire {
namespace {

class Authentication : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(start_authentication());
    secret_[3] = std::byte{9};
    key_ = key_between(secret_, 1, 2);
    seal(key_, number_, packet_);
  }
  Secret secret_{};
  Key key_{};
  Sequence number_ = (std::uint64_t{5} << 24) + 17;
  std::vector<std::byte> packet_ = std::vector<std::byte>(100, std::byte{0x5a});
};

TEST_F(Authentication, what_was_sealed_is_accepted_and_stays_as_it_is) {
  const auto before = packet_;
  EXPECT_TRUE(is_sealed(key_, number_, packet_));
  EXPECT_EQ(packet_, before);
}

TEST_F(Authentication, any_changed_bit_is_seen) {
  for (std::size_t bit = 0; bit < packet_.size() * 8; ++bit) {
    packet_[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_FALSE(is_sealed(key_, number_, packet_)) << bit;
    packet_[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
  }
}

TEST_F(Authentication, a_packet_of_an_earlier_turn_of_the_numbers_is_not_accepted_again) {
  EXPECT_FALSE(is_sealed(key_, number_ + (std::uint64_t{1} << sequence_bits), packet_));
}

TEST_F(Authentication, keys_differ_by_direction_pair_and_job) {
  EXPECT_NE(key_, key_between(secret_, 2, 1));
  EXPECT_NE(key_, key_between(secret_, 1, 3));
  Secret other = secret_;
  other[15] = std::byte{1};
  EXPECT_NE(key_, key_between(other, 1, 2));
  EXPECT_EQ(key_, key_between(secret_, 1, 2));
}

}  // namespace
}  // namespace quadrille::wire
