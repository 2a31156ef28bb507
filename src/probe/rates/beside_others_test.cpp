// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/beside_others.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

constexpr double kLink = 50e6;

Passage through(double offered_bit_s, double others_bit_s) {
  const double all = offered_bit_s + others_bit_s;
  return {offered_bit_s, all > kLink ? kLink * offered_bit_s / all : offered_bit_s};
}

TEST(BesideOthers, two_loads_tell_the_link_and_what_others_have_of_it) {
  for (const double share : {0.1, 0.3, 0.5}) {
    const Passage strong = through(140e6, share * kLink);
    const auto found = link_beside_others(strong, through(48e6, share * kLink));
    ASSERT_TRUE(found.has_value());
    EXPECT_LT(strong.carried_bit_s, 0.97 * kLink);
    EXPECT_NEAR(found->bit_s.value, kLink, 0.001 * kLink) << share;
    EXPECT_NEAR(found->ambient_share.value, share, 0.001);
    EXPECT_LT(found->bit_s.low, kLink);
    EXPECT_GT(found->bit_s.high, kLink);
  }
}

TEST(BesideOthers, a_weak_load_that_came_through_whole_bounds_what_others_have) {
  const auto found = link_beside_others(through(140e6, 4e6), through(42e6, 4e6));
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->bit_s.value, kLink, 0.1 * kLink);
  EXPECT_LE(found->bit_s.low, kLink);
  EXPECT_GE(found->bit_s.high, kLink);
  EXPECT_LE(found->ambient_share.low, 0.08);
  EXPECT_GE(found->ambient_share.high, 0.08);
}

TEST(BesideOthers, says_nothing_of_loads_that_are_alike_or_of_one_that_filled_nothing) {
  EXPECT_FALSE(link_beside_others(through(60e6, 15e6), through(50e6, 15e6)).has_value());
  EXPECT_FALSE(link_beside_others(through(30e6, 15e6), through(20e6, 15e6)).has_value());
  EXPECT_FALSE(link_beside_others(through(140e6, 15e6), {48e6, 0}).has_value());
}

// Seen on a link of 239 Mbit/s, of which others had 0.3: it was taken for one of 749.
TEST(BesideOthers, what_a_weak_load_lost_elsewhere_does_not_make_a_fast_link) {
  const auto found = link_beside_others({206.3e6, 176.3e6}, {61.6e6, 56.9e6});
  ASSERT_TRUE(found.has_value());
  EXPECT_LE(found->ambient_share.value, 0.5);
  EXPECT_LT(found->bit_s.value, 1.3 * 239e6);
  EXPECT_LT(found->bit_s.low, 239e6);
}

TEST(BesideOthers, more_than_was_offered_is_nobody) {
  const auto found = link_beside_others({140e6, 50e6}, {60e6, 51e6});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->ambient_share.value, 0);
  EXPECT_NEAR(found->bit_s.value, kLink, 0.001 * kLink);
}

}  // namespace
}  // namespace quadrille::probe
