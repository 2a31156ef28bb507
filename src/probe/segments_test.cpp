// SPDX-License-Identifier: BSD-3-Clause
#include "probe/segments.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

using Parts = std::vector<HostSet>;

TEST(Segments, without_sets_all_hosts_are_together) {
  EXPECT_EQ(common_refinement({0, 1, 2}, {}), (Parts{{0, 1, 2}}));
}

TEST(Segments, a_set_and_its_complement_divide_alike) {
  const Parts divided{{0, 2}, {1, 3}};
  EXPECT_EQ(common_refinement({0, 1, 2, 3}, {{0, 2}}), divided);
  EXPECT_EQ(common_refinement({0, 1, 2, 3}, {{1, 3}}), divided);
  EXPECT_EQ(common_refinement({0, 1, 2, 3}, {{0, 2}, {1, 3}}), divided);
}

TEST(Segments, nested_and_crossing_sets_leave_what_none_of_them_parts) {
  EXPECT_EQ(common_refinement({0, 1, 2, 3, 4, 5}, {{0, 1, 2, 3}, {2, 3, 4}}),
            (Parts{{0, 1}, {2, 3}, {4}, {5}}));
}

}  // namespace
}  // namespace quadrille::probe
