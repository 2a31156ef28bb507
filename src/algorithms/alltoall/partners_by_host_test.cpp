// SPDX-License-Identifier: BSD-3-Clause
// Both ends agree on the phase in which two hosts meet, and each other rank is met once.
#include "algorithms/alltoall/partners_by_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

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

TEST(PartnersByHost, switches_of_equally_many_hosts_meet_as_hosts_do) {
  for (std::uint32_t segments = 2; segments <= 5; ++segments) {
    for (std::uint32_t each = 1; each <= 5; ++each) {
      TopologyView view = TopologyView::flat(static_cast<Rank>(segments * each));
      for (std::uint32_t host = 0; host < segments * each; ++host)
        view.segment_of_host[host] = host / each;
      std::vector<std::vector<HostPhase>> phases;
      for (std::size_t host = 0; host < segments * each; ++host)
        phases.push_back(host_phases(view, host));
      for (std::size_t phase = 0; phase + 1 < segments * each; ++phase) {
        std::vector<std::size_t> crossing(segments);  // from each segment
        for (std::size_t host = 0; host < segments * each; ++host) {
          ASSERT_EQ(phases[host].size() + 1, segments * each);
          const std::size_t target = phases[host][phase].target;
          EXPECT_NE(target, host);
          EXPECT_EQ(phases[target][phase].source, host) << "both know";
          if (target / each != host / each) ++crossing[host / each];
        }
        for (const std::size_t hosts : crossing)
          EXPECT_EQ(hosts, crossing.front()) << "all trunks carry the same";
      }
    }
  }
}

TEST(PartnersByHost, each_meets_each_once_in_a_tournament_and_both_know) {
  for (std::size_t count = 2; count <= 18; count += 2) {
    for (std::size_t own = 0; own < count; ++own) {
      std::set<std::size_t> met;
      for (std::size_t round = 0; round + 1 < count; ++round) {
        const std::size_t partner = partner_in_round(count, own, round);
        EXPECT_NE(partner, own);
        EXPECT_EQ(partner_in_round(count, partner, round), own);
        met.insert(partner);
      }
      EXPECT_EQ(met.size(), count - 1);
    }
  }
}

TEST(PartnersByHost, an_even_number_of_hosts_of_as_many_ranks_exchanges_rank_by_rank) {
  const TopologyView view{{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, {0, 0, 0, 0}};
  std::vector<std::vector<Rank>> targets;
  for (Rank rank = 0; rank < 12; ++rank) {
    targets.push_back(partners_by_host(view, rank).targets);
    EXPECT_EQ(partners_by_host(view, rank).sources, targets.back());
  }
  for (std::size_t rank = 0; rank < 12; ++rank) {
    for (std::size_t turn = 0; turn < 9; ++turn)
      EXPECT_EQ(targets[static_cast<std::size_t>(targets[rank][turn])][turn],
                static_cast<Rank>(rank));
  }
}

}  // namespace
}  // namespace quadrille
