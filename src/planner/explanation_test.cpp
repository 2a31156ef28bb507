// SPDX-License-Identifier: BSD-3-Clause
#include "planner/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/cost/cost_networks.h"

namespace quadrille {
namespace {

KnownNetwork one_switch_of(std::size_t hosts) {
  return known_to_every_host(one_switch(hosts, 50e6));
}

Shape explained_shape(Collective collective, Rank ranks, std::uint64_t bytes) {
  return {.collective = collective, .ranks = ranks, .count = bytes};
}

CostBreakdown cost_with(std::int64_t total, std::int64_t repeats, std::vector<std::int64_t> busy) {
  CostBreakdown cost;
  cost.total = {total};
  cost.retransmissions = {repeats};
  cost.set_busy(busy);
  return cost;
}

TEST(Explain, chooses_the_cheapest_of_all_candidates) {
  for (const Rank ranks : {2, 3, 5, 8, 12}) {
    const KnownNetwork network = one_switch_of(static_cast<std::size_t>(ranks));
    for (const Collective collective : collectives()) {
      if (has_counts(collective)) continue;
      for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{70'001}}) {
        const Shape shape =
            explained_shape(collective, ranks, collective == Collective::barrier ? 0 : bytes);
        const auto found = explain(shape, network, std::nullopt);
        ASSERT_TRUE(found) << name_of(collective);
        for (const CostedCandidate& one : found->candidates) {
          EXPECT_LE(found->plan.cost.total, one.cost.total) << name_of(collective);
          EXPECT_EQ(one.candidate.algorithm->collective, collective);
        }
        if (found->other) {
          EXPECT_EQ(found->other->cost.total, found->candidates[1].cost.total);
        }
        EXPECT_FALSE(found->library && found->library->measured);
      }
    }
  }
}

TEST(Explain, a_candidate_that_is_asked_for_meets_the_cheapest) {
  const KnownNetwork network = one_switch_of(8);
  const Shape shape = explained_shape(Collective::bcast, 8, 1'000'000);
  const Algorithm& binomial = *algorithm_named("bcast_binomial");
  const auto found = explain(shape, network, candidate_of(binomial, binomial.parameters));
  ASSERT_TRUE(found && found->other);
  EXPECT_EQ(found->plan.candidate.name, "bcast_binomial");
  EXPECT_EQ(found->other->candidate.name, found->candidates.front().candidate.name);
  EXPECT_GT(found->plan.cost.total, found->other->cost.total);
}

TEST(Explain, the_librarys_measured_time_comes_before_an_estimate) {
  KnownNetwork network = one_switch_of(4);
  const Shape shape = explained_shape(Collective::bcast, 4, 1000);
  network.library = {{Collective::bcast, {1000}, 4, {123'456}}};
  const auto found = explain(shape, network, std::nullopt);
  ASSERT_TRUE(found && found->library);
  EXPECT_TRUE(found->library->measured);
  EXPECT_EQ(found->library->time.value, 123'456);
}

TEST(Compare, names_the_share_in_which_the_slower_one_loses_most) {
  const auto faster = cost_with(100, 0, {80, 10});
  const auto by_resource = compare(cost_with(190, 0, {60, 160}), faster);
  EXPECT_EQ(by_resource.most, TimeShare::resource);
  EXPECT_EQ(by_resource.by.value, 80);
  EXPECT_EQ(by_resource.resource, 1U);
  EXPECT_EQ(by_resource.busy_slower.value, 160);
  EXPECT_EQ(by_resource.busy_faster.value, 10);
  const auto by_repeats = compare(cost_with(300, 200, {80, 10}), faster);
  EXPECT_EQ(by_repeats.most, TimeShare::retransmissions);
  EXPECT_EQ(by_repeats.by.value, 200);
  const auto by_waiting = compare(cost_with(150, 0, {20, 10}), faster);
  EXPECT_EQ(by_waiting.most, TimeShare::waiting);
  EXPECT_EQ(by_waiting.by.value, 110);
}

TEST(Compare, a_call_without_messages_has_no_resource) {
  const auto found = compare(cost_with(5, 0, {0, 0}), cost_with(0, 0, {0, 0}));
  EXPECT_EQ(found.resource, NetworkCosts::none);
  EXPECT_EQ(found.most, TimeShare::waiting);
  EXPECT_EQ(found.by.value, 5);
}

}  // namespace
}  // namespace quadrille
