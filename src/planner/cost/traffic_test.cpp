// SPDX-License-Identifier: BSD-3-Clause
// The cost of the traffic stands for that of the schedules: both are computed for every algorithm,
// on known and on random networks.
#include "algorithms/traffic/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "planner/cost/cost_networks.h"
#include "planner/cost/traffic_cost.h"

namespace quadrille {
namespace {

std::vector<Shape> shapes_of(const Algorithm& algorithm, Rank ranks, std::uint64_t bytes) {
  const Collective collective = algorithm.collective;
  const bool reducing = is_reducing(collective);
  Shape shape{.collective = collective,
              .ranks = ranks,
              .root = is_rooted(collective) ? ranks / 2 : 0,
              .count = collective == Collective::barrier ? 0 : bytes / (reducing ? 4 : 1),
              .element_bytes = reducing ? 4U : 1U};
  std::vector<Shape> shapes;
  if (algorithm.supports(shape)) shapes.push_back(shape);
  shape.commutative = false;
  if (reducing && algorithm.supports(shape)) shapes.push_back(shape);
  return shapes;
}

double ratio(const Algorithm& algorithm, const Shape& shape, const NetworkCosts& costs) {
  const TopologyView view = TopologyView::flat(shape.ranks);
  const auto traffic = traffic_of(algorithm, {shape, algorithm.parameters, view});
  const auto played = cost_of(schedules_of(algorithm, shape), shape.element_bytes, costs);
  return static_cast<double>(cost_of_traffic(*traffic, costs).total.value) /
         static_cast<double>(played.total.value);
}

// Of a scan by doubling distances, ranks that wait for few others send all rounds at once, and
// connections that share a port end together.
double factor_for(const Algorithm& algorithm, double factor) {
  return algorithm.name.ends_with("scan_recursive_doubling") ? std::max(factor, 2.5) : factor;
}

void expect_within(double factor, const NetworkModel& model, std::span<const std::uint32_t> hosts,
                   const std::string& network) {
  const NetworkCosts costs = network_costs(model, hosts);
  for (const Algorithm& algorithm : algorithms()) {
    for (const std::uint64_t bytes : {256U, 4'096U, 32'768U}) {
      for (const Shape& shape : shapes_of(algorithm, costs.ranks(), bytes)) {
        if (!traffic_of(algorithm, {shape, algorithm.parameters, TopologyView::flat(shape.ranks)}))
          continue;
        const double found = ratio(algorithm, shape, costs);
        const std::string what = std::string(algorithm.name) + " on " + network + ", " +
                                 std::to_string(costs.ranks()) + " ranks, " +
                                 std::to_string(bytes) + " bytes" +
                                 (shape.commutative ? "" : ", not commutative");
        EXPECT_LE(found, factor_for(algorithm, factor)) << what;
        EXPECT_GE(found, 1 / factor_for(algorithm, factor)) << what;
      }
    }
  }
}

std::vector<std::uint32_t> ranks_in_turn(const NetworkModel& model, std::size_t ranks) {
  std::vector<std::uint32_t> hosts(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    hosts[rank] = static_cast<std::uint32_t>(rank % model.hosts.size());
  return hosts;
}

// Of two or three ranks, phases that others pass one after the other overlap.
TEST(TrafficCost, on_one_switch_is_within_1_6_times_the_schedules) {
  for (const std::size_t ranks : {2U, 3U, 5U, 8U, 13U, 32U, 64U}) {
    const NetworkModel model = one_switch(ranks, 100e6);
    expect_within(ranks < 4 ? 2 : 1.6, model, one_rank_a_host(model), "one switch");
  }
}

TEST(TrafficCost, on_two_switches_and_on_buses_is_within_twice_the_schedules) {
  for (const std::size_t ranks : {4U, 8U, 19U, 64U}) {
    const NetworkModel model = two_switches(ranks, 100e6, 100e6);
    expect_within(2, model, one_rank_a_host(model), "two switches");
  }
  const NetworkModel buses = three_buses();
  expect_within(2, buses, one_rank_a_host(buses), "three buses");
}

TEST(TrafficCost, with_several_ranks_a_host_is_within_twice_the_schedules) {
  const NetworkModel model = one_switch(4, 100e6);
  expect_within(2, model, ranks_in_turn(model, 16), "one switch, four ranks a host");
}

TEST(TrafficCost, on_random_networks_is_within_four_times_the_schedules) {
  std::mt19937 random(5);
  for (int i = 0; i < 6; ++i) {
    const std::size_t hosts = 2 + random() % 20;
    const NetworkModel model = random_network(random, hosts);
    expect_within(4, model, one_rank_a_host(model), "random network " + std::to_string(i));
  }
}

// What no estimate of time may blur: the bytes that each resource carries, in rounds of whole
// messages.
TEST(TrafficCost, loads_resources_as_the_schedules_do) {
  std::mt19937 random(9);
  for (const char* name :
       {"bcast_binomial", "allgather_ring", "allgather_recursive_doubling", "alltoall_pairwise",
        "alltoall_bruck", "reduce_binomial", "allreduce_recursive_doubling", "barrier_binomial",
        "barrier_dissemination", "bcast_chain"}) {
    const Algorithm& algorithm = *algorithm_named(name);
    const NetworkModel model = random_network(random, 16);
    const NetworkCosts costs = network_costs(model, one_rank_a_host(model));
    for (const Shape& shape : shapes_of(algorithm, 16, 16'384)) {
      const auto played = cost_of(schedules_of(algorithm, shape), shape.element_bytes, costs);
      const TopologyView view = TopologyView::flat(shape.ranks);
      const auto traffic = traffic_of(algorithm, {shape, algorithm.parameters, view});
      const auto found = cost_of_traffic(*traffic, costs);
      for (std::size_t i = 0; i < costs.resources.size(); ++i) {
        // Each piece's time is rounded up on its own when it is played.
        EXPECT_NEAR(static_cast<double>(found.busy[i].value),
                    static_cast<double>(played.busy[i].value), 500)
            << name << ' ' << costs.resources[i].name;
      }
    }
  }
}

TEST(TrafficCost, tells_apart_what_floods_a_port_from_what_is_paced) {
  NetworkModel model = one_switch(9, 50e6);
  model.segments[0].safe_burst_bytes = exactly(32'768);
  const NetworkCosts costs = network_costs(model, one_rank_a_host(model));
  const Algorithm& ordered = *algorithm_named("alltoall_ordered");
  const Shape shape{.collective = Collective::alltoall, .ranks = 9, .count = 32'768};
  const auto lost = [&](const char* parameters) {
    const Parameters values = ordered.parameters.with(parameters).value();
    const TopologyView view = TopologyView::flat(shape.ranks);
    return cost_of_traffic(*traffic_of(ordered, {shape, values, view}), costs).retransmissions;
  };
  EXPECT_EQ(lost("partners=2:window=1:piece_bytes=8192").value, 0);
  EXPECT_EQ(lost("partners=8:window=8:piece_bytes=32768"),
            cost_of(schedules_of(ordered, shape, "partners=8:window=8:piece_bytes=32768"), 1, costs)
                .retransmissions);
}

TEST(Traffic, of_one_rank_or_no_data_is_nothing) {
  const Algorithm& bcast = *algorithm_named("bcast_binomial");
  const Shape alone{.collective = Collective::bcast, .ranks = 1, .count = 10};
  const Shape empty{.collective = Collective::bcast, .ranks = 5, .count = 0};
  for (const Shape& shape : {alone, empty}) {
    const TopologyView view = TopologyView::flat(shape.ranks);
    const auto traffic = traffic_of(bcast, {shape, bcast.parameters, view});
    ASSERT_TRUE(traffic.has_value());
    EXPECT_TRUE(traffic->empty());
  }
}

}  // namespace
}  // namespace quadrille
