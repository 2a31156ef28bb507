// SPDX-License-Identifier: BSD-3-Clause
// Both ends agree on the phase in which two hosts meet, and each other rank is met once.
#include "algorithms/partners_by_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "algorithms/random_view.h"

namespace quadrille {
namespace {

TEST(PartnersByHost, each_other_rank_is_a_target_and_a_source_once) {
  RandomView views(5);
  std::mt19937 chance(5);
  for (int round = 0; round < 60; ++round) {
    const Rank ranks = 1 + static_cast<Rank>(chance() % 20);
    const TopologyView view = views.of_ranks(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      ExchangePartners partners = partners_by_host(view, rank);
      for (auto* list : {&partners.targets, &partners.sources}) {
        list->insert(list->end(), partners.on_own_host.begin(), partners.on_own_host.end());
        list->push_back(rank);
        std::ranges::sort(*list);
        ASSERT_EQ(list->size(), static_cast<std::size_t>(ranks));
        for (Rank other = 0; other < ranks; ++other)
          EXPECT_EQ((*list)[static_cast<std::size_t>(other)], other);
      }
    }
  }
}

TEST(PartnersByHost, in_a_phase_a_host_sends_to_one_host_and_receives_from_one) {
  RandomView views(6);
  std::mt19937 chance(6);
  for (int round = 0; round < 60; ++round) {
    const Rank ranks = 2 + static_cast<Rank>(chance() % 20);
    const TopologyView view = views.of_ranks(ranks);
    const auto host = [&](Rank rank) { return view.host_of_rank[static_cast<std::size_t>(rank)]; };
    // The hosts that each host's ranks meet, in order, are the same for all of them.
    std::map<std::uint32_t, std::vector<std::uint32_t>> targets;
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<std::uint32_t> hosts;
      for (const Rank target : partners_by_host(view, rank).targets) {
        EXPECT_NE(host(target), host(rank));
        if (hosts.empty() || hosts.back() != host(target)) hosts.push_back(host(target));
      }
      const auto [entry, first] = targets.try_emplace(host(rank), hosts);
      EXPECT_EQ(entry->second, hosts);
      EXPECT_EQ(hosts.size() + 1, view.hosts());
    }
    for (std::size_t phase = 0; phase + 1 < view.hosts(); ++phase) {
      std::vector<std::uint32_t> met;
      for (const auto& [from, hosts] : targets) met.push_back(hosts[phase]);
      std::ranges::sort(met);
      EXPECT_EQ(std::ranges::unique(met).begin(), met.end()) << "no host is a target twice";
    }
  }
}

}  // namespace
}  // namespace quadrille
