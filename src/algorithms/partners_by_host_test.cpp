// SPDX-License-Identifier: BSD-3-Clause
// Each pair meets once, and both ends agree on when.
#include "algorithms/partners_by_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "algorithms/random_view.h"

namespace quadrille {
namespace {

TEST(PartnerInRound, each_meets_each_once_and_both_know) {
  for (std::size_t count = 1; count <= 17; ++count) {
    for (std::size_t own = 0; own < count; ++own) {
      std::set<std::size_t> met;
      for (std::size_t round = 0; round < count; ++round) {
        const auto partner = partner_in_round(count, own, round);
        if (!partner) continue;
        EXPECT_NE(*partner, own);
        EXPECT_EQ(partner_in_round(count, *partner, round), own);
        EXPECT_TRUE(met.insert(*partner).second) << count << " " << own << " " << round;
      }
      EXPECT_EQ(met.size(), count - 1);
    }
  }
}

TEST(PartnersByHost, each_other_rank_is_met_once) {
  RandomView views(5);
  std::mt19937 chance(5);
  for (int round = 0; round < 60; ++round) {
    const Rank ranks = 1 + static_cast<Rank>(chance() % 20);
    const TopologyView view = views.of_ranks(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<Rank> met = partners_by_host(view, rank);
      met.push_back(rank);
      std::ranges::sort(met);
      ASSERT_EQ(met.size(), static_cast<std::size_t>(ranks));
      for (Rank other = 0; other < ranks; ++other)
        EXPECT_EQ(met[static_cast<std::size_t>(other)], other);
    }
  }
}

// The hosts that `rank` meets, one after the other.
std::vector<std::size_t> hosts_met(const TopologyView& view, Rank rank) {
  std::vector<std::size_t> hosts;
  for (const Rank partner : partners_by_host(view, rank)) {
    const std::size_t host = view.host_of_rank[static_cast<std::size_t>(partner)];
    if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
  }
  return hosts;
}

TEST(PartnersByHost, all_ranks_of_a_host_meet_the_own_one_first_and_then_one_at_a_time) {
  RandomView views(6);
  std::mt19937 chance(6);
  for (int round = 0; round < 60; ++round) {
    const Rank ranks = 2 + static_cast<Rank>(chance() % 20);
    const TopologyView view = views.of_ranks(ranks);
    const auto by_host = view.ranks_by_host();
    for (std::size_t host = 0; host < by_host.size(); ++host) {
      std::vector<std::size_t> wanted;
      if (by_host[host].size() > 1) wanted.push_back(host);
      for (std::size_t phase = 0; phase < by_host.size(); ++phase) {
        if (const auto met = partner_in_round(by_host.size(), host, phase)) wanted.push_back(*met);
      }
      for (const Rank rank : by_host[host])
        EXPECT_THAT(hosts_met(view, rank), testing::ElementsAreArray(wanted));
    }
  }
}

TEST(PartnersByHost, hosts_of_as_many_ranks_exchange_rank_by_rank) {
  TopologyView view = RandomView(1).of_ranks(6);
  view.host_of_rank = {0, 0, 0, 1, 1, 1};
  const auto partners = [&](Rank rank) {
    const auto all = partners_by_host(view, rank);
    return std::vector<Rank>(all.end() - 3, all.end());
  };
  for (Rank rank = 0; rank < 3; ++rank) {
    const auto met = partners(rank);
    for (std::size_t turn = 0; turn < 3; ++turn) EXPECT_EQ(partners(met[turn])[turn], rank);
  }
}

}  // namespace
}  // namespace quadrille
