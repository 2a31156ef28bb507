// SPDX-License-Identifier: BSD-3-Clause
// What a new shape costs: generating one rank's schedule, and checking all ranks'.
#include <benchmark/benchmark.h>

#include "algorithms/algorithm.h"
#include "schedule/check/check.h"

namespace quadrille {
namespace {

Shape shape_for(const Algorithm& algorithm, Rank ranks) {
  const std::uint64_t count = algorithm.collective == Collective::barrier ? 0 : 32768;
  return {.collective = algorithm.collective, .ranks = ranks, .root = 0, .count = count};
}

void generate_one_rank(benchmark::State& state, const Algorithm& algorithm) {
  const Shape shape = shape_for(algorithm, static_cast<Rank>(state.range(0)));
  const TopologyView view = TopologyView::flat(shape.ranks);
  std::size_t steps = 0;
  for (auto _ : state) {
    const Schedule schedule = algorithm.generate({shape, view, algorithm.parameters, 1});
    steps = schedule.steps.size();
    benchmark::DoNotOptimize(schedule.steps.data());
  }
  state.counters["steps"] = static_cast<double>(steps);
}

void check_all_ranks(benchmark::State& state, const Algorithm& algorithm) {
  const Shape shape = shape_for(algorithm, static_cast<Rank>(state.range(0)));
  const TopologyView view = TopologyView::flat(shape.ranks);
  std::vector<Schedule> schedules;
  for (Rank rank = 0; rank < shape.ranks; ++rank) {
    schedules.push_back(algorithm.generate({shape, view, algorithm.parameters, rank}));
  }
  for (auto _ : state) {
    if (!check(shape, schedules).empty()) state.SkipWithError("the schedules are wrong");
  }
}

const bool registered = [] {
  for (const Algorithm& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    benchmark::RegisterBenchmark(("generate/" + name).c_str(), generate_one_rank, algorithm)
        ->Arg(16)
        ->Arg(64)
        ->Arg(4096);
    benchmark::RegisterBenchmark(("check/" + name).c_str(), check_all_ranks, algorithm)
        ->Arg(16)
        ->Arg(64)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace quadrille
