// SPDX-License-Identifier: BSD-3-Clause
// Processor time of one round in which every host sends at full rate and light datagrams look on.
#include <benchmark/benchmark.h>

#include "probe/simulated/simulated_network.h"
#include "probe/simulated/topologies/ready_made.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t kRoundNs = 200'000'000;
constexpr HostIndex kTargets = 16;
constexpr std::uint32_t kFrames = 420;  // what a cable of 25 Mbit/s takes in that time

Round everybody_sends(HostIndex hosts) {
  Round round;
  round.duration_ns = kRoundNs;
  for (HostIndex host = 0; host < hosts; ++host) {
    round.streams.push_back({.from = host, .to = (host + hosts / 2) % hosts, .count = kFrames});
    Fan fan{.from = host, .to = {}, .at_ns = 0, .duration_ns = kRoundNs, .passes = 6};
    for (HostIndex step = 1; step <= kTargets; ++step) fan.to.push_back((host + step) % hosts);
    round.fans.push_back(std::move(fan));
  }
  return round;
}

void all_hosts_send(benchmark::State& state) {
  const auto hosts = static_cast<std::uint32_t>(state.range(0));
  auto topology = ready_made("three_levels", {.hosts = hosts}).value();
  set_ambient(topology, static_cast<double>(state.range(1)) / 100);
  SimulatedNetwork network(topology);
  const Round round = everybody_sends(hosts);
  for (auto _ : state) benchmark::DoNotOptimize(network.perform(round));
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(network.events()), benchmark::Counter::kIsRate);
}

BENCHMARK(all_hosts_send)
    ->Args({16, 0})
    ->Args({256, 0})
    ->Args({256, 30})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quadrille::probe
