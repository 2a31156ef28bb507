// SPDX-License-Identifier: BSD-3-Clause
// Estimates stand for played schedules: both are computed for the algorithms that go by the
// network, with their parameters, on known and on random networks.
#include "planner/cost/estimate.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "planner/cost/cost_networks.h"
#include "planner/plan_search.h"

namespace quadrille {
namespace {

constexpr const char* kOfTrees[] = {"inside=chain",
                                    "inside=binomial:between=star",
                                    "inside=star:between=chain",
                                    "inside=chain:segment=1408",
                                    "inside=star:segment=1408",
                                    "inside=binomial:segment=8192",
                                    "inside=chain:segment=0"};
constexpr const char* kOfShares[] = {"leaders=0", "leaders=0:inside=star:segment=1408",
                                     "leaders=0:inside=binomial:segment=0"};
constexpr const char* kOfLanes[] = {"near=2:far=1", "near=1:far=2:piece_bytes=4096"};

std::vector<std::string> parameters_of(const Algorithm& algorithm) {
  if (algorithm.collective == Collective::barrier) return {"", "inside=chain:between=chain"};
  if (algorithm.collective == Collective::reduce_scatter_block) return {""};
  if (algorithm.collective == Collective::gather || algorithm.collective == Collective::scatter)
    return {"", "inside=star:between=chain", "inside=chain:between=binomial"};
  if (algorithm.collective == Collective::alltoall)
    return {std::begin(kOfLanes), std::end(kOfLanes)};
  std::vector<std::string> found(std::begin(kOfTrees), std::end(kOfTrees));
  if (algorithm.collective != Collective::allgather)
    found.insert(found.end(), std::begin(kOfShares), std::end(kOfShares));
  return found;
}

struct Range {
  double least;
  double most;
};

void expect_within(const Range& allowed, const NetworkModel& model, const std::string& network) {
  const KnownNetwork known = known_to_every_host(model);
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.name.ends_with("_hierarchical")) continue;
    for (const std::uint64_t bytes : {512U, 16'000U, 65'536U}) {
      const bool reducing = is_reducing(algorithm.collective);
      const Shape shape{.collective = algorithm.collective,
                        .ranks = known.costs->ranks(),
                        .root = is_rooted(algorithm.collective) ? known.costs->ranks() / 3 : 0,
                        .count = algorithm.collective == Collective::barrier ? 0
                                 : reducing                                  ? bytes / 4
                                                                             : bytes,
                        .element_bytes = reducing ? 4U : 1U};
      Estimator estimator(shape, known.view, *known.costs);
      for (const std::string& parameters : parameters_of(algorithm)) {
        const Candidate candidate =
            candidate_of(algorithm, algorithm.parameters.with(parameters).value());
        const auto played = cost_of_candidate(candidate, shape, known.view, *known.costs);
        const double found = static_cast<double>(estimator.cost(candidate)->total.value) /
                             static_cast<double>(played.total.value);
        const std::string what = candidate.name + " of " + std::to_string(bytes) + " bytes on " +
                                 network + ", " + std::to_string(shape.ranks) + " ranks";
        // A rank of a barrier's chain releases the next one before that has come.
        const bool overlaps = algorithm.collective == Collective::barrier;
        EXPECT_LE(found, overlaps ? 2.05 : allowed.most) << what;
        EXPECT_GE(found, allowed.least) << what;
      }
    }
  }
}

TEST(Estimate, on_switches_and_buses_is_0_4_to_1_25_times_the_schedules) {
  expect_within({0.4, 1.25}, one_switch(8, 50e6), "one switch");
  expect_within({0.4, 1.25}, two_switches(8, 50e6, 50e6), "two switches");
  expect_within({0.4, 1.25}, two_switches(24, 1e9, 1e10), "two switches, fast trunk");
  expect_within({0.4, 1.25}, three_buses(), "three buses");
}

TEST(Estimate, on_random_networks_is_a_third_to_1_35_times_the_schedules) {
  std::mt19937 random(3);
  for (int i = 0; i < 12; ++i) {
    const std::size_t hosts = 3 + random() % 20;
    expect_within({1.0 / 3, 1.35}, random_network(random, hosts),
                  "random network " + std::to_string(i));
  }
}

TEST(Estimate, with_islands_is_as_near_the_schedules) {
  std::mt19937 random(7);
  for (int i = 0; i < 12; ++i) {
    const std::size_t hosts = 5 + random() % 18;
    const NetworkModel model = random_network(random, hosts);
    expect_within({1.0 / 3, 1.6}, with_random_islands(model, random),
                  "random network with islands " + std::to_string(i));
  }
}

}  // namespace
}  // namespace quadrille
