// SPDX-License-Identifier: BSD-3-Clause
// What a call pays for its plan: the cached look-up of decision and schedule, and a new shape.
#include <benchmark/benchmark.h>

#include "planner/cost/cost_networks.h"
#include "planner/plan_search.h"
#include "planner/planner.h"
#include "planner/search_space.h"

namespace quadrille {
namespace {

Shape shape_of(Rank ranks, std::uint64_t bytes) {
  Shape shape;
  shape.collective = Collective::alltoall;
  shape.ranks = ranks;
  shape.count = bytes;
  return shape;
}

Planner forced_planner(Rank ranks) {
  PlannerOptions options;
  options.forced = parse_forced_choice("alltoall:ordered").value();
  return {options, {TopologyView::flat(ranks), std::nullopt, {}}, 0};
}

void cached_plan(benchmark::State& state) {
  const auto ranks = static_cast<Rank>(state.range(0));
  Planner planner = forced_planner(ranks);
  for (std::uint64_t bytes = 1; bytes < 64; ++bytes) {  // other shapes live in the cache too
    const Shape other = shape_of(ranks, bytes);
    planner.schedule(other, planner.decision(other, true).candidates[0]);
  }
  const Shape shape = shape_of(ranks, 32768);
  for (auto _ : state) {
    const Decision& decision = planner.decision(shape, true);
    benchmark::DoNotOptimize(
        &planner.schedule(shape, decision.candidates[decision.trial.candidate()]));
  }
}
BENCHMARK(cached_plan)->Arg(16)->Arg(64);

void new_plan(benchmark::State& state) {
  const auto ranks = static_cast<Rank>(state.range(0));
  Planner planner = forced_planner(ranks);
  std::uint64_t bytes = 1;
  for (auto _ : state) {
    const Shape shape = shape_of(ranks, bytes++);
    const Decision& decision = planner.decision(shape, true);
    benchmark::DoNotOptimize(
        &planner.schedule(shape, decision.candidates[decision.trial.candidate()]));
  }
}
BENCHMARK(new_plan)->Arg(16)->Arg(64)->Arg(4096);

// Two switches that a model knows, 32 KiB.
struct Modelled {
  Modelled(const benchmark::State& state, Collective collective)
      : shape{.collective = collective,
              .ranks = static_cast<Rank>(state.range(0)),
              .count = 32'768},
        network(known_to_every_host(
            two_switches(static_cast<std::size_t>(state.range(0)), 1e9, 1e10))) {}

  Shape shape;
  KnownNetwork network;
};

// What a shape of a new class costs when a model knows the network.
void new_decision(benchmark::State& state, Collective collective) {
  const Modelled call(state, collective);
  for (auto _ : state)
    benchmark::DoNotOptimize(cost_candidates(call.shape, call.network.view, *call.network.costs));
}
BENCHMARK_CAPTURE(new_decision, bcast, Collective::bcast)->Arg(8)->Arg(16)->Arg(64)->Arg(4096);
BENCHMARK_CAPTURE(new_decision, allreduce, Collective::allreduce)
    ->Arg(8)
    ->Arg(16)
    ->Arg(64)
    ->Arg(4096);
BENCHMARK_CAPTURE(new_decision, allgather, Collective::allgather)
    ->Arg(8)
    ->Arg(16)
    ->Arg(64)
    ->Arg(4096);
BENCHMARK_CAPTURE(new_decision, alltoall, Collective::alltoall)->Arg(8)->Arg(16)->Arg(64);

// Of that, what the estimates of all candidates cost.
void candidates(benchmark::State& state, Collective collective) {
  const Modelled call(state, collective);
  for (auto _ : state)
    benchmark::DoNotOptimize(search_space_of(call.shape, call.network.view, *call.network.costs));
}
BENCHMARK_CAPTURE(candidates, bcast, Collective::bcast)->Arg(64)->Arg(4096);
BENCHMARK_CAPTURE(candidates, allreduce, Collective::allreduce)->Arg(64);
BENCHMARK_CAPTURE(candidates, allgather, Collective::allgather)->Arg(64);

}  // namespace
}  // namespace quadrille
