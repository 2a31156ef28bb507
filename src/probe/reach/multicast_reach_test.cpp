// SPDX-License-Identifier: BSD-3-Clause
#include "probe/reach/multicast_reach.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

PairTable<Heard> everybody(std::size_t hosts) {
  PairTable<Heard> heard(hosts, Heard::yes);
  for (HostIndex host = 0; host < hosts; ++host) heard.at(host, host) = Heard::not_tried;
  return heard;
}

const std::vector<HostSet> kGroups{{0, 2, 4}, {1, 3}, {5}};

TEST(MulticastReach, works_in_a_group_where_every_host_hears_every_other) {
  const auto reach = judge_multicast(everybody(6), kGroups);
  EXPECT_EQ(reach.groups[0].works, true);
  EXPECT_EQ(reach.groups[1].works, true);
  EXPECT_TRUE(reach.groups[0].not_heard.empty());
  EXPECT_EQ(reach.between[0][1], true);
}

TEST(MulticastReach, of_a_single_host_is_unknown) {
  EXPECT_EQ(judge_multicast(everybody(6), kGroups).groups[2].works, std::nullopt);
}

TEST(MulticastReach, names_the_way_that_is_silent) {
  auto heard = everybody(6);
  heard.at(4, 0) = Heard::no;
  const auto reach = judge_multicast(heard, kGroups);
  EXPECT_EQ(reach.groups[0].works, false);
  EXPECT_EQ(reach.groups[0].not_heard, (std::vector<OneWay>{{4, 0}}));
  EXPECT_EQ(reach.groups[1].works, true);
}

TEST(MulticastReach, between_groups_is_known_for_each_direction) {
  auto heard = everybody(6);
  for (const HostIndex from : {0U, 2U, 4U}) {
    for (const HostIndex to : {1U, 3U}) heard.at(from, to) = Heard::no;
  }
  const auto reach = judge_multicast(heard, kGroups);
  EXPECT_EQ(reach.groups[0].works, true);
  EXPECT_EQ(reach.between[0][1], false);
  EXPECT_EQ(reach.between[1][0], true);
}

TEST(MulticastReach, that_was_not_tried_is_unknown) {
  const auto reach = judge_multicast(PairTable<Heard>(6, Heard::not_tried), kGroups);
  EXPECT_EQ(reach.groups[0].works, std::nullopt);
  EXPECT_EQ(reach.between[0][1], std::nullopt);
  EXPECT_TRUE(reach.groups[0].not_heard.empty());
}

}  // namespace
}  // namespace quadrille::probe
