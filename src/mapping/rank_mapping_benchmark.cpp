// SPDX-License-Identifier: BSD-3-Clause
// What a mapping takes: grids of cubes of ranks, four a host, on hosts dealt out to eight segments.
#include <benchmark/benchmark.h>

#include "mapping/rank_mapping.h"

namespace quadrille {
namespace {

void map_grid(benchmark::State& state) {
  const auto side = static_cast<Rank>(state.range(0));
  const Grid grid{{side, side, side}, {true, true, true}};
  TopologyView places;
  const Rank hosts = (grid.cells() + 3) / 4;
  for (Rank host = 0; host < hosts; ++host)
    places.segment_of_host.push_back(static_cast<std::uint32_t>(host % 8));
  for (Rank rank = 0; rank < grid.cells(); ++rank)
    places.host_of_rank.push_back(static_cast<std::uint32_t>(rank % hosts));
  const NetworkTree tree({}, 8);
  RankMapping mapping;
  for (auto _ : state) {
    mapping = map_ranks(graph_of(grid, grid.cells()), grid, places, tree);
    benchmark::DoNotOptimize(mapping.old_rank.data());
  }
  state.counters["ranks"] = static_cast<double>(grid.cells());
  state.counters["segment_crossings_before"] =
      static_cast<double>(mapping.before.segment_crossings);
  state.counters["segment_crossings_after"] = static_cast<double>(mapping.after.segment_crossings);
}
BENCHMARK(map_grid)->Arg(2)->Arg(4)->Arg(8)->Arg(10)->Arg(16)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quadrille
