// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/own_address.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr std::uint32_t kLoopback = 0x7f000001;
constexpr Nanoseconds kSecond{1'000'000'000};

TEST(OwnAddress, that_the_system_has_is_not_lost) {
  OwnAddress own(kLoopback);
  for (int second = 1; second < 100; ++second) EXPECT_FALSE(own.is_lost(kSecond * second));
}

TEST(OwnAddress, that_was_never_there_is_not_watched) {
  OwnAddress of_another_namespace(0xc6120001);
  for (int second = 1; second < 100; ++second)
    EXPECT_FALSE(of_another_namespace.is_lost(kSecond * second));
}

TEST(OwnAddress, that_is_gone_is_waited_for_and_then_lost) {
  bool is_there = true;
  OwnAddress own(kLoopback, [&] { return is_there; });
  EXPECT_FALSE(own.is_lost(kSecond));
  is_there = false;
  for (int second = 2; second < 30; ++second) EXPECT_FALSE(own.is_lost(kSecond * second));
  is_there = true;
  EXPECT_FALSE(own.is_lost(kSecond * 30));
  is_there = false;
  for (int second = 31; second < 60; ++second) EXPECT_FALSE(own.is_lost(kSecond * second));
  EXPECT_TRUE(own.is_lost(kSecond * 62));
  is_there = true;
  EXPECT_TRUE(own.is_lost(kSecond * 70)) << "for good";
}

TEST(OwnAddress, is_not_lost_because_its_process_was_stopped) {
  bool is_there = true;
  OwnAddress own(kLoopback, [&] { return is_there; });
  EXPECT_FALSE(own.is_lost(kSecond));
  is_there = false;
  EXPECT_FALSE(own.is_lost(kSecond * 2));
  EXPECT_FALSE(own.is_lost(kSecond * 1000));
}

}  // namespace
}  // namespace quadrille::wire
