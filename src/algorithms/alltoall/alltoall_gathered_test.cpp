// SPDX-License-Identifier: BSD-3-Clause
// What travels between hosts, counted in the schedules on random clusters.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "algorithms/algorithm.h"
#include "algorithms/random_view.h"

namespace quadrille {
namespace {

constexpr std::uint64_t count = 3;

// Lengths of the messages between each two hosts, and how many each rank sends to others.
struct Crossings {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>> lengths;
  std::map<Rank, std::size_t> by_rank;

  Crossings(const TopologyView& view, Rank ranks) {
    const Algorithm& algorithm = *algorithm_named("alltoall_gathered");
    const Shape shape{.collective = Collective::alltoall, .ranks = ranks, .count = count};
    const auto host = [&](Rank rank) { return view.host_of_rank[static_cast<std::size_t>(rank)]; };
    for (Rank rank = 0; rank < ranks; ++rank) {
      by_rank[rank] = 0;
      for (const Step& step : algorithm.generate({shape, view, algorithm.parameters, rank}).steps) {
        if (step.kind != StepKind::send || host(step.peer) == host(rank)) continue;
        lengths[{host(rank), host(step.peer)}].push_back(step.from.length);
        ++by_rank[rank];
      }
    }
  }
};

TEST(AlltoallGathered, all_blocks_between_two_hosts_are_one_message) {
  RandomView views(7);
  for (Rank ranks = 2; ranks <= 33; ++ranks) {
    const TopologyView view = views.of_ranks(ranks);
    const auto by_host = view.ranks_by_host();
    const Crossings crossings(view, ranks);
    EXPECT_EQ(crossings.lengths.size(), by_host.size() * (by_host.size() - 1));
    for (const auto& [hosts, lengths] : crossings.lengths) {
      ASSERT_EQ(lengths.size(), 1U);
      EXPECT_EQ(lengths[0], by_host[hosts.first].size() * by_host[hosts.second].size() * count);
    }
  }
}

TEST(AlltoallGathered, the_ranks_of_a_host_share_its_partner_hosts_evenly) {
  RandomView views(8);
  for (Rank ranks = 2; ranks <= 33; ++ranks) {
    const TopologyView view = views.of_ranks(ranks);
    const Crossings crossings(view, ranks);
    for (const auto& own : view.ranks_by_host()) {
      std::size_t least = std::numeric_limits<std::size_t>::max();
      std::size_t most = 0;
      for (const Rank rank : own) {
        least = std::min(least, crossings.by_rank.at(rank));
        most = std::max(most, crossings.by_rank.at(rank));
      }
      EXPECT_LE(most, least + 1);
    }
  }
}

}  // namespace
}  // namespace quadrille
