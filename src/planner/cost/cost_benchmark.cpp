// SPDX-License-Identifier: BSD-3-Clause
// What costing one candidate takes: playing all ranks' schedules through, with and without their
// generation, and from the traffic.
#include <benchmark/benchmark.h>

#include <string>

#include "planner/cost/cost.h"
#include "planner/cost/cost_networks.h"
#include "planner/cost/traffic_cost.h"

namespace quadrille {
namespace {

Shape shape_for(const Algorithm& algorithm, std::int64_t ranks) {
  const std::uint64_t count = algorithm.collective == Collective::barrier ? 0 : 32'768;
  return {.collective = algorithm.collective, .ranks = static_cast<Rank>(ranks), .count = count};
}

NetworkCosts costs_for(std::int64_t ranks) {
  const NetworkModel model = two_switches(static_cast<std::size_t>(ranks), 1e9, 1e10);
  return network_costs(model, one_rank_a_host(model));
}

void play_schedules(benchmark::State& state, const Algorithm& algorithm) {
  const Shape shape = shape_for(algorithm, state.range(0));
  const NetworkCosts costs = costs_for(state.range(0));
  const auto schedules = schedules_of(algorithm, shape);
  std::size_t steps = 0;
  for (const Schedule& schedule : schedules) steps += schedule.steps.size();
  for (auto _ : state) benchmark::DoNotOptimize(cost_of(schedules, shape.element_bytes, costs));
  state.counters["steps"] = static_cast<double>(steps);
}

void traffic(benchmark::State& state, const Algorithm& algorithm) {
  const Shape shape = shape_for(algorithm, state.range(0));
  const NetworkCosts costs = costs_for(state.range(0));
  const TopologyView view = TopologyView::flat(shape.ranks);
  for (auto _ : state) {
    const auto found = traffic_of(algorithm, {shape, algorithm.parameters, view});
    if (!found) {
      state.SkipWithError("describes no traffic");
      return;
    }
    benchmark::DoNotOptimize(cost_of_traffic(*found, costs));
  }
}

const bool registered = [] {
  for (const Algorithm& algorithm : algorithms()) {
    if (has_counts(algorithm.collective)) continue;
    const std::string name(algorithm.name);
    benchmark::RegisterBenchmark(("play/" + name).c_str(), play_schedules, algorithm)
        ->Arg(16)
        ->Arg(64)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(("traffic/" + name).c_str(), traffic, algorithm)
        ->Arg(64)
        ->Arg(4096)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace quadrille
