// SPDX-License-Identifier: BSD-3-Clause
#include "probe/host_set.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

using Parts = std::vector<HostSet>;

TEST(HostSet, without_sets_all_hosts_are_together) {
  EXPECT_EQ(common_refinement({0, 1, 2}, {}), (Parts{{0, 1, 2}}));
}

TEST(HostSet, a_set_and_its_complement_divide_alike) {
  const Parts divided{{0, 2}, {1, 3}};
  EXPECT_EQ(common_refinement({0, 1, 2, 3}, {{0, 2}}), divided);
  EXPECT_EQ(common_refinement({0, 1, 2, 3}, {{1, 3}}), divided);
  EXPECT_EQ(common_refinement({0, 1, 2, 3}, {{0, 2}, {1, 3}}), divided);
}

TEST(HostSet, nested_and_crossing_sets_leave_what_none_of_them_parts) {
  EXPECT_EQ(common_refinement({0, 1, 2, 3, 4, 5}, {{0, 1, 2, 3}, {2, 3, 4}}),
            (Parts{{0, 1}, {2, 3}, {4}, {5}}));
}

TEST(HostSet, others_are_those_not_named) {
  EXPECT_EQ(others({0, 1, 2, 3}, {1, 3}), (HostSet{0, 2}));
}

TEST(HostSet, joined_are_the_hosts_of_either) {
  EXPECT_EQ(joined({1, 3}, {0, 3, 4}), (HostSet{0, 1, 3, 4}));
  EXPECT_EQ(joined({}, {2}), (HostSet{2}));
}

TEST(HostSet, overlap_is_the_share_of_all_hosts_that_both_sets_have) {
  EXPECT_DOUBLE_EQ(overlap({0, 1, 2}, {1, 2, 3}), 0.5);
  EXPECT_DOUBLE_EQ(overlap({4, 5}, {4, 5}), 1);
  EXPECT_DOUBLE_EQ(overlap({0, 2}, {1, 3}), 0);
  EXPECT_DOUBLE_EQ(overlap({}, {7}), 0);
}

TEST(HostSet, contains_just_the_hosts_named) {
  const HostSet set{1, 4, 5};
  for (HostIndex host = 0; host < 7; ++host)
    EXPECT_EQ(contains(set, host), host == 1 || host == 4 || host == 5) << host;
}

}  // namespace
}  // namespace quadrille::probe
