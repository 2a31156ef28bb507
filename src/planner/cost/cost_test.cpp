// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "network/bounds.h"
#include "network/model/model_rates.h"
#include "planner/cost/cost_networks.h"
#include "planner/plan_search.h"

namespace quadrille {
namespace {

constexpr double kRate = 50e6;         // bit/s
constexpr std::int64_t kByteNs = 160;  // at kRate
constexpr std::int64_t kLatencyNs = 10'000;

NetworkCosts costs_on(const NetworkModel& model) {
  return network_costs(model, one_rank_a_host(model));
}

NetworkModel quick_switch(std::size_t hosts) {
  NetworkModel model = one_switch(hosts, kRate);
  model.segments[0].latency_ns = exactly(kLatencyNs);
  return model;
}

CostBreakdown cost(const char* algorithm, const Shape& shape, const NetworkCosts& costs,
                   const std::string& parameters = "") {
  return cost_of(schedules_of(*algorithm_named(algorithm), shape, parameters), shape.element_bytes,
                 costs);
}

Shape shape_of(Collective collective, std::size_t ranks, std::uint64_t bytes) {
  return {.collective = collective, .ranks = static_cast<Rank>(ranks), .count = bytes};
}

// Sending, way and receipt of one message beside its bytes.
std::int64_t message_latency_ns(const NetworkCosts& costs) {
  return kLatencyNs + costs.hosts[0].send_overhead_ns + costs.hosts[0].receive_overhead_ns;
}

// A message of up to ten frames goes out in one piece, so that the root's sends follow each other.
TEST(CostOf, a_binomial_broadcast_on_one_switch_is_log_p_messages_in_a_row) {
  for (const std::size_t p : {2U, 4U, 8U, 16U, 32U}) {
    const auto costs = costs_on(quick_switch(p));
    const auto found = cost("bcast_binomial", shape_of(Collective::bcast, p, 12'000), costs);
    const auto rounds = static_cast<std::int64_t>(std::bit_width(p - 1));
    const auto message = static_cast<std::int64_t>(costs.on_wire(12'000)) * kByteNs;
    EXPECT_GE(found.total.value, rounds * message) << p;
    EXPECT_LE(found.total.value, rounds * (message + message_latency_ns(costs))) << p;
  }
}

// All algorithms: of a call without losses, and of one that overflows buffers.
TEST(CostOf, the_last_step_ends_with_the_call) {
  for (const double burst_bytes : {0.0, 8'000.0}) {
    auto model = quick_switch(7);
    if (burst_bytes > 0) model.segments[0].safe_burst_bytes = exactly(burst_bytes);
    const auto costs = costs_on(model);
    for (const Algorithm& algorithm : algorithms()) {
      const Shape shape = shape_of(algorithm.collective, 7,
                                   algorithm.collective == Collective::barrier ? 0 : 30'000);
      if (has_counts(algorithm.collective) || !algorithm.supports(shape)) continue;
      const auto schedules = schedules_of(algorithm, shape, "");
      std::vector<StepTime> times;
      const auto found = cost_of(schedules, shape.element_bytes, costs, &times);
      EXPECT_EQ(found.total, cost_of(schedules, shape.element_bytes, costs).total);
      std::size_t steps = 0;
      for (const Schedule& schedule : schedules) steps += schedule.steps.size();
      ASSERT_EQ(times.size(), steps) << algorithm.name;
      Nanoseconds last;
      for (const StepTime& time : times) {
        EXPECT_LE(time.start, time.end) << algorithm.name;
        last = std::max(last, time.end);
      }
      EXPECT_EQ(last + found.retransmissions, found.total) << algorithm.name;
    }
  }
}

// The root's three connections take turns and end together, then its child's two, then one more.
TEST(CostOf, a_binomial_broadcast_of_long_messages_pays_for_connections_that_take_turns) {
  const auto costs = costs_on(quick_switch(8));
  const auto found = cost("bcast_binomial", shape_of(Collective::bcast, 8, 65'536), costs);
  const auto message = static_cast<std::int64_t>(costs.on_wire(65'536)) * kByteNs;
  EXPECT_GT(found.total.value, 5 * message);
  EXPECT_LT(found.total.value, 6 * (message + message_latency_ns(costs)));
}

TEST(CostOf, a_ring_allgather_on_one_switch_is_the_bound_and_latencies) {
  for (const std::size_t p : {2U, 3U, 5U, 8U, 33U}) {
    const auto model = quick_switch(p);
    const auto costs = costs_on(model);
    // As much as goes out at once.
    const std::uint64_t block =
        costs.protocol.window_frames * costs.framing.payload - costs.protocol.header_bytes;
    const auto found = cost("allgather_ring", shape_of(Collective::allgather, p, block), costs);
    const auto rounds = static_cast<std::int64_t>(p - 1);
    const auto bytes = rounds * static_cast<std::int64_t>(costs.on_wire(block));
    EXPECT_GE(found.total.value, bytes * kByteNs);
    EXPECT_LE(found.total.value, bytes * kByteNs + rounds * message_latency_ns(costs)) << p;
    EXPECT_EQ(found.retransmissions.value, 0);
    EXPECT_EQ(found.busy[costs.hosts[0].in].value, bytes * kByteNs);
  }
}

// The least possible is three crossings of each bus, 38.4 ms of payload; a tree over ranks instead
// of segments crosses the busiest bus more often.
TEST(CostOf, a_binomial_broadcast_over_three_buses_is_bound_by_a_bus) {
  const auto costs = costs_on(three_buses());
  const auto found = cost("bcast_binomial", shape_of(Collective::bcast, 8, 16'000), costs);
  EXPECT_EQ(costs.resources[found.bottleneck].name, "bus s0");
  // 0 -> 4, 2, 1; 4 -> 6, 5; 2 -> 3; 6 -> 7, hosts in turn on s0, s1, s2: s0 carries all but 4
  // -> 5.
  const std::int64_t busy_ns = 6 * static_cast<std::int64_t>(costs.on_wire(16'000)) * 800;
  EXPECT_EQ(found.busy[found.bottleneck].value, busy_ns);
  EXPECT_LE(found.total.value, busy_ns + busy_ns / 10);
  EXPECT_GE(found.total.value, 38'400'000);
}

TEST(CostOf, a_message_that_crosses_a_slow_trunk_takes_the_trunks_time) {
  const auto costs = costs_on(two_switches(2, kRate, kRate / 10));
  const auto found = cost("bcast_binomial", shape_of(Collective::bcast, 2, 10'000), costs);
  EXPECT_EQ(costs.resources[found.bottleneck].name, "trunk s0-s1 forward");
  const auto on_trunk = static_cast<std::int64_t>(costs.on_wire(10'000)) * kByteNs * 10;
  EXPECT_GE(found.total.value, on_trunk);
  EXPECT_LE(found.total.value, on_trunk + 40'000);
}

TEST(CostOf, messages_inside_a_host_take_no_port) {
  const auto model = quick_switch(1);
  const auto costs = network_costs(model, std::vector<std::uint32_t>{0, 0, 0});
  const auto found = cost("bcast_chain", shape_of(Collective::bcast, 3, 8'192), costs);
  EXPECT_EQ(found.busy[costs.hosts[0].out].value, 0);
  EXPECT_EQ(costs.resources[found.bottleneck].name, "host h0 memory");
  EXPECT_LT(found.total.value, 10'000);
}

TEST(CostOf, a_message_above_the_eager_limit_waits_for_its_receiver) {
  const auto costs = costs_on(quick_switch(2));
  const std::uint64_t limit = costs.protocol.eager_bytes;
  const auto eager = cost("bcast_binomial", shape_of(Collective::bcast, 2, limit), costs);
  const auto asked = cost("bcast_binomial", shape_of(Collective::bcast, 2, limit + 1), costs);
  EXPECT_EQ(asked.total.value - eager.total.value, kByteNs + 2 * kLatencyNs);
}

TEST(CostOf, a_flooded_port_costs_a_share_of_tcps_repetition_time) {
  NetworkModel model = quick_switch(9);
  const Shape shape = shape_of(Collective::alltoall, 9, 32'768);
  const auto flood = "partners=8:window=8:piece_bytes=32768";
  const auto paced = "partners=2:window=1:piece_bytes=8192";
  EXPECT_EQ(cost("alltoall_ordered", shape, costs_on(model), flood).retransmissions.value, 0);
  model.segments[0].safe_burst_bytes = exactly(32'768);
  const auto costs = costs_on(model);
  EXPECT_EQ(cost("alltoall_ordered", shape, costs, paced).retransmissions.value, 0);
  // Eight connections need four frames each: 48 448 bytes where 32 768 fit.
  const auto found = cost("alltoall_ordered", shape, costs, flood);
  EXPECT_EQ(found.retransmissions.value, 200'000'000LL * (48'448 - 32'768) / 48'448);
  model.segments[0].lossless = true;
  EXPECT_EQ(cost("alltoall_ordered", shape, costs_on(model), flood).retransmissions.value, 0);
}

std::optional<Shape> bounded_shape(const Algorithm& algorithm, Rank ranks, std::mt19937& random) {
  const bool reducing = is_reducing(algorithm.collective);
  Shape shape{.collective = algorithm.collective,
              .ranks = ranks,
              .root = 0,
              .count = 1 + random() % 20'000,
              .element_bytes = reducing ? 4U : 1U};
  if (is_rooted(algorithm.collective)) shape.root = static_cast<Rank>(random()) % ranks;
  if (algorithm.collective == Collective::barrier) shape.count = 0;
  if (shape.root < 0) shape.root += ranks;
  if (has_counts(algorithm.collective) || !algorithm.supports(shape)) return std::nullopt;
  return shape;
}

TEST(CostOf, no_algorithm_is_below_the_lower_bound_of_bandwidth) {
  std::mt19937 random(1);
  for (Rank ranks = 2; ranks <= 33; ++ranks) {
    for (const Algorithm& algorithm : algorithms()) {
      const auto shape = bounded_shape(algorithm, ranks, random);
      if (!shape) continue;
      NetworkModel model = random_network(random, static_cast<std::size_t>(ranks));
      if (ranks > 5 && ranks % 2 == 0) model = with_random_islands(std::move(model), random);
      const NetworkRates rates = rates_of(model);
      std::vector<std::string> names;
      for (const ModelHost& host : model.hosts) names.push_back(host.name);
      const BoundedCall call{.collective = algorithm.collective,
                             .bytes = message_size(*shape).value,
                             .root = shape->root,
                             .host_of_rank = host_indices(rates, names).value()};
      const LowerBound bound = lower_bound(call, rates, kTcpFrames);
      const auto found =
          cost_of(schedules_of(algorithm, *shape), shape->element_bytes, costs_on(model));
      EXPECT_GE(static_cast<double>(found.total.value), bound.bandwidth_ns)
          << algorithm.name << ' ' << ranks << " ranks";
      EXPECT_GT(found.total.value, 0) << algorithm.name;
    }
  }
}

TEST(CostOf, every_rank_computes_the_same_as_nothing_depends_on_addresses_or_calls_before) {
  std::mt19937 random(7);
  const NetworkModel model = random_network(random, 12);
  const auto costs = costs_on(model);
  const Shape shape = shape_of(Collective::alltoall, 12, 5'000);
  const auto first = cost("alltoall_pairwise", shape, costs);
  const auto again =
      cost("alltoall_pairwise", shape, costs_on(parse_model(print_model(model)).value()));
  EXPECT_EQ(first.total, again.total);
  EXPECT_EQ(first.busy, again.busy);
}

TEST(CostOf, a_schedule_without_steps_costs_nothing) {
  const auto costs = costs_on(quick_switch(4));
  const auto found = cost("bcast_binomial", shape_of(Collective::bcast, 4, 0), costs);
  EXPECT_EQ(found.total.value, 0);
  EXPECT_EQ(found.bottleneck, NetworkCosts::none);
}

// h1 to h3 of four hosts.
NetworkModel with_island(double rate_bit_s) {
  NetworkModel model = quick_switch(4);
  model.islands.push_back({.name = "i",
                           .hosts = {"h1", "h2", "h3"},
                           .rate_bit_s = exactly(rate_bit_s),
                           .latency_ns = exactly(3'000)});
  return model;
}

CostBreakdown broadcast_by_library(const NetworkModel& model, Rank root, const char* segment) {
  const Algorithm& algorithm = *algorithm_named("bcast_hierarchical");
  const Candidate candidate = candidate_of(
      algorithm, algorithm.parameters.with("host=library:segment=" + std::string(segment)).value());
  Shape shape = shape_of(Collective::bcast, 4, 10'000);
  shape.root = root;
  return cost_of_candidate(candidate, shape, known_to_every_host(model).view, costs_on(model));
}

// The message crosses to the island once, then goes on there as down a binomial tree.
TEST(CostOf, a_group_step_takes_what_a_binomial_tree_takes) {
  const NetworkModel model = with_island(8e9);
  const auto costs = costs_on(model);
  const auto found = broadcast_by_library(model, 0, "0");
  const auto message = static_cast<std::int64_t>(costs.on_wire(10'000)) * kByteNs;
  EXPECT_EQ(found.total.value, message + message_latency_ns(costs) + 2 * 10'000 + 3'000);
  EXPECT_EQ(found.busy[costs.host_of(2).island_in].value, 10'000);
  EXPECT_EQ(found.busy[costs.host_of(1).island_out].value, 20'000);
  EXPECT_EQ(found.busy[costs.host_of(1).island_in].value, 0);
}

// All pieces are there at once; the root's port has to pass each twice all the same.
TEST(CostOf, group_steps_wait_for_each_others_resources) {
  const NetworkModel model = with_island(8e6);
  const auto found = broadcast_by_library(model, 1, "1000");
  EXPECT_EQ(found.busy[costs_on(model).host_of(1).island_out].value, 20'000'000);
  EXPECT_GE(found.total.value, 20'000'000);
}

}  // namespace
}  // namespace quadrille
