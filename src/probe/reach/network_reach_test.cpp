// SPDX-License-Identifier: BSD-3-Clause
#include "probe/reach/network_reach.h"

#include <gtest/gtest.h>

#include <numeric>

namespace quadrille::probe {
namespace {

std::vector<HostIndex> all_of(std::size_t hosts) {
  std::vector<HostIndex> indices(hosts);
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

PairTable<Heard> everybody_heard(std::size_t hosts) {
  PairTable<Heard> heard(hosts, Heard::yes);
  for (HostIndex host = 0; host < hosts; ++host) heard.at(host, host) = Heard::not_tried;
  return heard;
}

TEST(NetworkReach, tries_every_pair_of_a_few_hosts_and_only_of_those_with_an_address) {
  std::mt19937_64 chance(1);
  const auto ways = ways_to_try(6, {0, 2, 3, 5}, chance);
  for (HostIndex from = 0; from < 6; ++from) {
    for (HostIndex to = 0; to < 6; ++to) {
      const bool expected = from != to && from != 1 && from != 4 && to != 1 && to != 4;
      EXPECT_EQ(ways.at(from, to) == Heard::no, expected) << from << " to " << to;
    }
  }
}

TEST(NetworkReach, of_many_hosts_tries_few_ways_that_connect_all_in_both_directions) {
  for (const std::size_t hosts : {65U, 100U, 256U}) {
    std::mt19937_64 chance(hosts);
    auto ways = ways_to_try(hosts, all_of(hosts), chance);
    for (HostIndex from = 0; from < hosts; ++from) {
      std::size_t partners = 0;
      for (HostIndex to = 0; to < hosts; ++to) {
        EXPECT_EQ(ways.at(from, to), ways.at(to, from));
        if (ways.at(from, to) != Heard::no) continue;
        ++partners;
        ways.at(from, to) = Heard::yes;
        ways.at(to, from) = Heard::yes;
      }
      EXPECT_EQ(ways.at(from, from), Heard::not_tried);
      EXPECT_LE(partners, kReachPartners);
    }
    EXPECT_EQ(judge_reach(ways, all_of(hosts)).hosts.size(), hosts);
  }
}

TEST(NetworkReach, keeps_everybody_where_everybody_is_heard) {
  const auto reach = judge_reach(everybody_heard(5), all_of(5));
  EXPECT_EQ(reach.hosts, all_of(5));
  EXPECT_TRUE(reach.left_out.empty());
  EXPECT_TRUE(reach.missing.empty());
}

TEST(NetworkReach, leaves_out_a_host_that_only_hears_and_says_so) {
  auto heard = everybody_heard(5);
  for (HostIndex to = 0; to < 5; ++to) {
    if (to != 3) heard.at(3, to) = Heard::no;
  }
  const auto reach = judge_reach(heard, all_of(5));
  EXPECT_EQ(reach.hosts, (std::vector<HostIndex>{0, 1, 2, 4}));
  ASSERT_EQ(reach.left_out.size(), 1U);
  EXPECT_EQ(reach.left_out[0].host, 3U);
  EXPECT_EQ(reach.left_out[0].reason, "nobody hears it, though it hears others");
  EXPECT_TRUE(reach.missing.empty());
}

TEST(NetworkReach, names_each_direction_that_is_missing_between_hosts_that_are_kept) {
  auto heard = everybody_heard(6);
  heard.at(1, 4) = Heard::no;
  const auto reach = judge_reach(heard, all_of(6));
  EXPECT_EQ(reach.hosts, all_of(6));
  EXPECT_EQ(reach.missing, (std::vector<OneWay>{{1, 4}}));
}

TEST(NetworkReach, leaves_out_a_host_that_reaches_less_than_half) {
  auto heard = everybody_heard(6);
  for (const HostIndex deaf_to : {0U, 1U, 3U}) heard.at(deaf_to, 5) = Heard::no;
  const auto reach = judge_reach(heard, all_of(6));
  EXPECT_EQ(reach.hosts, (std::vector<HostIndex>{0, 1, 2, 3, 4}));
  ASSERT_EQ(reach.left_out.size(), 1U);
  EXPECT_EQ(reach.left_out[0].reason, "it reaches only a few of the hosts");
}

TEST(NetworkReach, of_two_separate_sites_takes_the_larger_and_of_equal_ones_the_first) {
  const auto split = [](HostIndex from_second) {
    auto heard = everybody_heard(6);
    for (HostIndex a = 0; a < from_second; ++a) {
      for (HostIndex b = from_second; b < 6; ++b) heard.at(a, b) = heard.at(b, a) = Heard::no;
    }
    return judge_reach(heard, all_of(6)).hosts;
  };
  EXPECT_EQ(split(2), (std::vector<HostIndex>{2, 3, 4, 5}));
  EXPECT_EQ(split(3), (std::vector<HostIndex>{0, 1, 2}));
}

TEST(NetworkReach, of_hosts_that_all_hear_nobody_keeps_none) {
  PairTable<Heard> heard(3, Heard::no);
  const auto reach = judge_reach(heard, all_of(3));
  EXPECT_TRUE(reach.hosts.empty());
  EXPECT_EQ(reach.left_out.size(), 3U);
}

}  // namespace
}  // namespace quadrille::probe
