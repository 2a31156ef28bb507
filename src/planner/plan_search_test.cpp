// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "planner/cost/cost_networks.h"
#include "planner/search_space.h"

namespace quadrille {
namespace {

Shape searched_shape(Collective collective, Rank ranks, std::uint64_t bytes) {
  const std::uint32_t element = is_reducing(collective) ? 4 : 1;
  return {.collective = collective,
          .ranks = ranks,
          .count = collective == Collective::barrier ? 0 : bytes / element,
          .element_bytes = element};
}

// What data cross once, they cross once with islands too: an island is entered by one of its hosts.
TEST(PlanSearch, an_island_takes_the_message_once) {
  NetworkModel model = one_switch(8, 100e6);
  model.islands.push_back({.name = "i",
                           .hosts = {"h1", "h2", "h4", "h5", "h7"},
                           .rate_bit_s = exactly(10e9),
                           .latency_ns = {}});
  const KnownNetwork network = known_to_every_host(model);
  const Shape shape = searched_shape(Collective::bcast, 8, 100'000);
  const auto best = cost_candidates(shape, network.view, *network.costs).front();
  EXPECT_EQ(best.candidate.algorithm->name, "bcast_hierarchical");
  Nanoseconds into_island{};
  for (const Rank rank : {1, 2, 4, 5, 7})
    into_island += best.cost.busy[network.costs->host_of(rank).in];
  EXPECT_NEAR(static_cast<double>(into_island.value), 100'000 * 80 * 1.05, 100'000 * 80 * 0.05);
}

TEST(PlanSearch, leaves_islands_to_the_librarys_own_collective) {
  const auto patterns = [](NetworkModel model, std::size_t ranks_on_host, bool has_island) {
    if (has_island)
      model.islands.push_back(
          {.name = "i", .hosts = {"h0", "h1"}, .rate_bit_s = {}, .latency_ns = {}});
    std::vector<std::uint32_t> hosts;
    for (std::size_t rank = 0; rank < 4 * ranks_on_host; ++rank)
      hosts.push_back(static_cast<std::uint32_t>(rank / ranks_on_host));
    const auto network =
        known_network(model, view_of(model, {"h0", "h1", "h2", "h3"}, hosts).value(), hosts);
    std::set<std::string> found;
    const Shape shape =
        searched_shape(Collective::allreduce, static_cast<Rank>(hosts.size()), 30'000);
    for (const EstimatedCandidate& one : search_space_of(shape, network.view, *network.costs)) {
      if (one.candidate.algorithm->name == "allreduce_hierarchical")
        found.insert(std::string(one.candidate.parameters.word("host")));
    }
    return found;
  };
  using Patterns = std::set<std::string>;
  const NetworkModel model = one_switch(4, 10e9);
  EXPECT_EQ(patterns(model, 16, false), Patterns{"star"});
  EXPECT_EQ(patterns(model, 16, true), Patterns{"library"});
}

TEST(PlanSearch, multicast_inside_segments_is_pipelined_from_one_to_the_next) {
  KnownNetwork network = known_to_every_host(two_switches(8, 100e6, 100e6));
  network.view.has_wire = true;
  network.view.multicast_in_segment = {true, true};
  const auto found =
      cost_candidates(searched_shape(Collective::bcast, 8, 131'072), network.view, *network.costs);
  const auto multicast = std::ranges::find_if(found, [](const CostedCandidate& one) {
    return one.candidate.algorithm->name == "bcast_multicast";
  });
  ASSERT_NE(multicast, found.end());
  EXPECT_EQ(multicast->candidate.parameters["segment"], 16'384);
  const double once_ns = 131'072 * 80;
  EXPECT_LT(static_cast<double>(multicast->cost.total.value), 1.6 * once_ns);
}

// Five ranks on each of four hosts, two switches. Long reductions go along a chain of all ranks.
TEST(PlanSearch, sums_in_rank_order_go_along_the_network_too) {
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t rank = 0; rank < 20; ++rank) hosts.push_back(rank / 5);
  const NetworkModel model = two_switches(4, 100e6, 100e6);
  const auto network =
      known_network(model, view_of(model, {"h0", "h2", "h1", "h3"}, hosts).value(), hosts);
  for (Shape shape : {searched_shape(Collective::reduce, 20, 1'000),
                      searched_shape(Collective::allreduce, 20, 1'000),
                      searched_shape(Collective::allreduce, 20, 1'000'000)}) {
    shape.commutative = false;
    const auto best = cost_candidates(shape, network.view, *network.costs).front();
    EXPECT_TRUE(best.candidate.algorithm->name.ends_with("_in_order")) << best.candidate.name;
  }
}

// Nobody describes what it sends, so that only playing it tells anything.
TEST(PlanSearch, plays_what_is_not_described_of_many_ranks_too) {
  const KnownNetwork network = known_to_every_host(one_switch(64, 1e9));
  const auto found =
      cost_candidates(searched_shape(Collective::gather, 64, 65'536), network.view, *network.costs);
  EXPECT_TRUE(std::ranges::any_of(found, [](const CostedCandidate& one) {
    return one.candidate.algorithm->name == "gather_linear";
  }));
}

// The least that any candidate takes when it is played.
Nanoseconds least_of_all(const Shape& shape, const KnownNetwork& network) {
  Nanoseconds least{std::numeric_limits<std::int64_t>::max()};
  for (const EstimatedCandidate& one : search_space_of(shape, network.view, *network.costs)) {
    const auto cost = cost_of_candidate(one.candidate, shape, network.view, *network.costs);
    least = std::min(least, cost.total);
  }
  return least;
}

TEST(PlanSearch, plays_enough_to_find_what_is_near_the_best_of_all_candidates) {
  std::mt19937 random(11);
  for (int i = 0; i < 10; ++i) {
    const std::size_t hosts = 3 + random() % 14;
    const KnownNetwork network = known_to_every_host(random_network(random, hosts));
    for (const Collective collective : collectives()) {
      if (has_counts(collective)) continue;
      for (const std::uint64_t bytes : {1'000U, 30'000U}) {
        const Shape shape = searched_shape(collective, static_cast<Rank>(hosts), bytes);
        const auto found = cost_candidates(shape, network.view, *network.costs);
        const auto played =
            cost_of_candidate(found.front().candidate, shape, network.view, *network.costs);
        EXPECT_LE(static_cast<double>(played.total.value),
                  1.15 * static_cast<double>(least_of_all(shape, network).value))
            << name_of(collective) << ' ' << bytes << " bytes, random network " << i << ": "
            << found.front().candidate.name;
      }
    }
  }
}

TEST(PlanSearch, hierarchical_algorithms_are_candidates_of_any_number_of_ranks) {
  for (const Rank ranks : {64, 301, 1'000}) {
    const KnownNetwork network =
        known_to_every_host(two_switches(static_cast<std::size_t>(ranks), 1e9, 1e9));
    for (const Collective collective :
         {Collective::barrier, Collective::bcast, Collective::reduce, Collective::allreduce,
          Collective::allgather, Collective::alltoall}) {
      const auto found =
          cost_candidates(searched_shape(collective, ranks, 32'768), network.view, *network.costs);
      EXPECT_TRUE(std::ranges::any_of(found,
                                      [](const CostedCandidate& one) {
                                        return one.candidate.algorithm->name.ends_with(
                                            "_hierarchical");
                                      }))
          << name_of(collective) << ' ' << ranks;
    }
  }
}

}  // namespace
}  // namespace quadrille
