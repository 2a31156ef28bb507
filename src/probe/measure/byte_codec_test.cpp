// SPDX-License-Identifier: BSD-3-Clause
// Numbers survive the way through bytes, and damaged bytes never lead beyond their end.
#include "probe/measure/byte_codec.h"

#include <gtest/gtest.h>

#include <limits>

namespace quadrille::probe {
namespace {

TEST(ByteCodec, numbers_of_every_length_come_back) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{1} << 32U,
        std::numeric_limits<std::uint64_t>::max()}) {
    ByteWriter out;
    out.number(value);
    const std::string bytes = out.take();
    ByteReader in(bytes);
    EXPECT_EQ(in.number(), value);
    EXPECT_TRUE(in.complete());
  }
}

TEST(ByteCodec, signed_numbers_come_back_and_small_ones_are_short) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63}, std::int64_t{-64},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    ByteWriter out;
    out.signed_number(value);
    const std::string bytes = out.take();
    EXPECT_EQ(bytes.size() == 1, value >= -64 && value <= 63);
    ByteReader in(bytes);
    EXPECT_EQ(in.signed_number(), value);
    EXPECT_TRUE(in.complete());
  }
}

TEST(ByteCodec, a_number_of_more_than_64_bits_is_a_fault) {
  const std::string eleven(11, '\xFF');
  ByteReader in(eleven);
  in.number();
  EXPECT_TRUE(in.failed());
}

TEST(ByteCodec, a_count_that_the_rest_cannot_hold_is_a_fault) {
  ByteWriter out;
  out.number(1U << 30U);
  out.number(1);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.count(), 0U);
  EXPECT_TRUE(in.failed());
}

TEST(ByteCodec, what_is_left_over_is_not_complete) {
  ByteReader in("\x01\x02");
  EXPECT_EQ(in.number(), 1U);
  EXPECT_FALSE(in.failed());
  EXPECT_FALSE(in.complete());
}

}  // namespace
}  // namespace quadrille::probe
