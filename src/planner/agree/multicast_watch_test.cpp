// SPDX-License-Identifier: BSD-3-Clause
#include "planner/agree/multicast_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace quadrille {
namespace {

TEST(MulticastWatch, asks_at_first_and_then_seldom) {
  MulticastWatch small;
  std::vector<int> asked;
  for (int call = 0; call < 130; ++call) {
    if (small.is_due({1024})) asked.push_back(call);
  }
  EXPECT_EQ(asked, (std::vector{0, 64, 128}));
  MulticastWatch large;
  asked.clear();
  for (int call = 0; call < 10; ++call) {
    if (large.is_due({std::uint64_t{1} << 20U})) asked.push_back(call);
  }
  EXPECT_EQ(asked, (std::vector{0, 4, 8}));
}

TEST(MulticastWatch, asks_ever_less_often_while_multicast_is_away_and_as_before_when_it_is_back) {
  MulticastWatch watch;
  std::vector<int> asked;
  for (int call = 0; call < 700; ++call) {
    if (!watch.is_due({1024})) continue;
    asked.push_back(call);
    const bool reaches_all = call != 64 && (call < 64 || call > 500);
    EXPECT_EQ(watch.found(reaches_all), call == 64 || call == 515) << call;
    EXPECT_EQ(watch.is_away(), !reaches_all);
  }
  EXPECT_EQ(asked, (std::vector{0, 64, 129, 258, 515, 580, 644}));
}

}  // namespace
}  // namespace quadrille
