// SPDX-License-Identifier: BSD-3-Clause
// Predicted against measured times. Measured: medians of `quadrille bench` with QUADRILLE_ALGORITHM
// forced, Open MPI 4.1.4, in the labs one_switch:hosts=8,rate_mbit=50,buffer_kib=32,
// eco_three_buses and two_switches_one_trunk, on two cores.
#include <gtest/gtest.h>

#include "planner/cost/cost.h"
#include "planner/cost/cost_networks.h"
#include "planner/cost/traffic_cost.h"

namespace quadrille {
namespace {

enum class Lab { one_switch, three_buses, two_switches };

struct Measurement {
  Lab lab;
  const char* algorithm;
  std::uint64_t bytes;
  double measured_ms;
};

constexpr Measurement kMeasurements[] = {
    {Lab::one_switch, "bcast_binomial", 1'024, 0.41},
    {Lab::one_switch, "bcast_binomial", 16'384, 13.3},
    {Lab::one_switch, "bcast_binomial", 65'536, 69.0},
    {Lab::one_switch, "bcast_chain", 1'024, 0.55},
    {Lab::one_switch, "bcast_chain", 16'384, 14.3},
    {Lab::one_switch, "bcast_chain", 65'536, 21.7},
    {Lab::one_switch, "bcast_scatter_allgather", 1'024, 1.21},
    {Lab::one_switch, "bcast_scatter_allgather", 16'384, 5.03},
    {Lab::one_switch, "bcast_scatter_allgather", 65'536, 25.8},
    {Lab::one_switch, "allgather_ring", 1'024, 1.19},
    {Lab::one_switch, "allgather_ring", 16'384, 27.3},
    {Lab::one_switch, "allgather_ring", 65'536, 126.3},
    {Lab::one_switch, "allgather_bruck", 1'024, 2.09},
    {Lab::one_switch, "allgather_bruck", 16'384, 42.7},
    {Lab::one_switch, "allgather_bruck", 65'536, 150.9},
    {Lab::one_switch, "alltoall_pairwise", 1'024, 1.32},
    {Lab::one_switch, "alltoall_pairwise", 16'384, 30.4},
    {Lab::one_switch, "alltoall_pairwise", 65'536, 166.5},
    {Lab::one_switch, "alltoall_ordered", 1'024, 1.94},
    {Lab::one_switch, "alltoall_ordered", 16'384, 25.8},
    {Lab::one_switch, "alltoall_ordered", 65'536, 99.3},
    {Lab::one_switch, "allreduce_ring", 1'024, 1.72},
    {Lab::one_switch, "allreduce_ring", 16'384, 5.15},
    {Lab::one_switch, "allreduce_ring", 65'536, 20.9},
    {Lab::one_switch, "allreduce_rabenseifner", 1'024, 1.23},
    {Lab::one_switch, "allreduce_rabenseifner", 16'384, 8.73},
    {Lab::one_switch, "allreduce_rabenseifner", 65'536, 28.8},
    {Lab::one_switch, "allreduce_recursive_doubling", 1'024, 1.36},
    {Lab::one_switch, "allreduce_recursive_doubling", 16'384, 14.9},
    {Lab::one_switch, "allreduce_recursive_doubling", 65'536, 67.8},
    {Lab::one_switch, "reduce_binomial", 1'024, 0.42},
    {Lab::one_switch, "reduce_binomial", 16'384, 9.08},
    {Lab::one_switch, "reduce_binomial", 65'536, 42.6},
    {Lab::one_switch, "reduce_chain", 1'024, 0.68},
    {Lab::one_switch, "reduce_chain", 16'384, 13.2},
    {Lab::one_switch, "reduce_chain", 65'536, 23.2},
    {Lab::three_buses, "allgather_bruck", 1'024, 37.6},
    {Lab::three_buses, "allgather_bruck", 16'384, 566},
    {Lab::three_buses, "allgather_ring", 1'024, 39.2},
    {Lab::three_buses, "allgather_ring", 16'384, 605},
    {Lab::three_buses, "allreduce_ring", 1'024, 16.1},
    {Lab::three_buses, "allreduce_ring", 16'384, 155},
    {Lab::three_buses, "allreduce_ring", 65'536, 593},
    {Lab::three_buses, "bcast_binomial", 1'024, 4.45},
    {Lab::three_buses, "bcast_binomial", 16'384, 85.6},
    {Lab::three_buses, "bcast_binomial", 65'536, 360},
    {Lab::three_buses, "bcast_chain", 1'024, 3.57},
    {Lab::three_buses, "bcast_chain", 16'384, 80.3},
    {Lab::three_buses, "bcast_chain", 65'536, 283},
    {Lab::three_buses, "bcast_scatter_allgather", 1'024, 6.51},
    {Lab::three_buses, "bcast_scatter_allgather", 16'384, 74.8},
    {Lab::three_buses, "bcast_scatter_allgather", 65'536, 299},
    {Lab::two_switches, "allgather_bruck", 1'024, 1.49},
    {Lab::two_switches, "allgather_bruck", 16'384, 47.6},
    {Lab::two_switches, "allgather_bruck", 65'536, 184},
    {Lab::two_switches, "allgather_ring", 1'024, 4.9},
    {Lab::two_switches, "allgather_ring", 16'384, 85.3},
    {Lab::two_switches, "allgather_ring", 65'536, 362},
    {Lab::two_switches, "allreduce_rabenseifner", 1'024, 0.85},
    {Lab::two_switches, "allreduce_rabenseifner", 16'384, 14.8},
    {Lab::two_switches, "allreduce_rabenseifner", 65'536, 60.5},
    {Lab::two_switches, "alltoall_ordered", 1'024, 2.89},
    {Lab::two_switches, "alltoall_ordered", 16'384, 149},
    {Lab::two_switches, "alltoall_ordered", 65'536, 317},
    {Lab::two_switches, "alltoall_pairwise", 1'024, 2.83},
    {Lab::two_switches, "alltoall_pairwise", 16'384, 56.8},
    {Lab::two_switches, "alltoall_pairwise", 65'536, 229},
    {Lab::two_switches, "bcast_binomial", 1'024, 0.543},
    {Lab::two_switches, "bcast_binomial", 16'384, 15.5},
    {Lab::two_switches, "bcast_binomial", 65'536, 68.4},
    {Lab::two_switches, "bcast_chain", 1'024, 0.38},
    {Lab::two_switches, "bcast_chain", 16'384, 14},
    {Lab::two_switches, "bcast_chain", 65'536, 44.8},
    {Lab::two_switches, "bcast_scatter_allgather", 1'024, 1.58},
    {Lab::two_switches, "bcast_scatter_allgather", 16'384, 12.5},
    {Lab::two_switches, "bcast_scatter_allgather", 65'536, 51},
};

NetworkModel model_of(Lab lab) {
  switch (lab) {
    case Lab::one_switch: {
      NetworkModel model = one_switch(8, 50e6);
      model.segments[0].safe_burst_bytes = exactly(32'768);
      return model;
    }
    case Lab::three_buses:
      return three_buses();
    case Lab::two_switches: {
      NetworkModel model = two_switches(8, 50e6, 50e6);
      for (Segment& segment : model.segments) segment.safe_burst_bytes = exactly(32'768);
      model.trunks[0].forward_buffer_bytes = exactly(32'768);
      model.trunks[0].backward_buffer_bytes = exactly(32'768);
      return model;
    }
  }
  return {};
}

Shape measured_shape(const Algorithm& algorithm, std::uint64_t bytes) {
  const std::uint32_t element = is_reducing(algorithm.collective) ? 8 : 1;
  return {.collective = algorithm.collective,
          .ranks = 8,
          .count = bytes / element,
          .element_bytes = element};
}

void expect_within(double factor, const Measurement& row, Nanoseconds predicted, const char* how) {
  const double found = static_cast<double>(predicted.value) / 1e6 / row.measured_ms;
  EXPECT_LE(found, factor) << how << ' ' << row.algorithm << ' ' << row.bytes;
  EXPECT_GE(found, 1 / factor) << how << ' ' << row.algorithm << ' ' << row.bytes;
}

// Of 1 KiB, the lab's token buckets let a frame pass at once that a cable would take 0.17 ms for,
// and eight ranks on two cores wait for each other. Of the others, 44 of 50 are within 1.3; what is
// not within 1.5 are calls whose measured times spread as far: allreduces of 16 KiB on the switch,
// fastest 7.0 and 9.3 ms, and alltoall_ordered of 16 KiB over the trunk, 48 to 249 ms.
double factor_for(const Measurement& row) { return row.bytes < 4'096 ? 4.0 : 1.8; }

TEST(CostOf, what_was_measured_is_met_by_schedules_and_by_traffic) {
  for (const Measurement& row : kMeasurements) {
    const NetworkModel model = model_of(row.lab);
    const NetworkCosts costs = network_costs(model, one_rank_a_host(model));
    const Algorithm& algorithm = *algorithm_named(row.algorithm);
    const Shape shape = measured_shape(algorithm, row.bytes);
    const TopologyView view = TopologyView::flat(shape.ranks);
    const auto traffic = traffic_of(algorithm, {shape, algorithm.parameters, view});
    const auto schedules = schedules_of(algorithm, shape);
    expect_within(factor_for(row), row, cost_of(schedules, shape.element_bytes, costs).total,
                  "schedules");
    expect_within(factor_for(row), row, cost_of_traffic(*traffic, costs).total, "traffic");
  }
}

}  // namespace
}  // namespace quadrille
