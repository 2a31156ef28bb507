// SPDX-License-Identifier: BSD-3-Clause
#include "base/utc.h"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(Utc, is_told_to_the_second_in_two_digits_each) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(951'782'399), "2000-02-28T23:59:59Z");
  EXPECT_EQ(utc_text(951'782'400), "2000-02-29T00:00:00Z");
  EXPECT_EQ(utc_text(4'102'444'800), "2100-01-01T00:00:00Z");
}

// Text in this form is ordered as the times are.
TEST(Utc, now_is_between_before_and_after) {
  const std::string before = utc_text(std::time(nullptr));
  const std::string now = utc_now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, utc_text(std::time(nullptr)));
}

}  // namespace
}  // namespace quadrille
