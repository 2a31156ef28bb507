// SPDX-License-Identifier: BSD-3-Clause
// That nothing stands still: random programs come to their end, whatever waits for what.
//
// A longer search: QUADRILLE_SEEDS=FIRST-LAST.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "wire/simulated/messages.h"
#include "wire/simulated/program_run.h"
#include "wire/simulated/random_program.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

// As wire_start derives them from what a port holds.
SimulatedSettings draw_settings(std::mt19937_64& chance, std::uint64_t seed) {
  SimulatedSettings settings;
  settings.seed = seed;
  settings.endpoint.limits.payload = chance() % 4 == 0 ? 1440 : 200;
  constexpr std::array losses{0.0, 0.0, 0.0, 0.003, 0.01, 0.03, 0.1};
  settings.loss = losses[chance() % losses.size()];
  constexpr std::array rates{25e6, 200e6, 1e9};
  settings.rate_bit_s = rates[chance() % rates.size()];
  settings.budget = 2 + static_cast<std::uint32_t>(chance() % 19);
  settings.buffer_bytes =
      settings.budget * (settings.endpoint.limits.payload + packet_framing_bytes) * 4 / 3;
  if (chance() % 3 == 0) settings.endpoint.limits.most_open = 32;
  if (seed % 2 == 0) settings.endpoint.most_idle_flows = 0;
  // Ports that hold several runs.
  if (seed % 3 == 0) {
    settings.runs = true;
    settings.budget *= 8;
    settings.most_budget = 4 * settings.budget;
    settings.buffer_bytes *= 8;
    settings.endpoint.window = 40;
  }
  return settings;
}

void fit(SimulatedSettings& settings, const RandomProgram& program) {
  settings.of_host = program.of_host;
  settings.endpoints = program.hosts * program.of_host;
  if (program.calls) settings.endpoint.outside_budget = ProgramRun::call_channel;
  FlowLimits& limits = settings.endpoint.limits;
  const std::size_t quarter = settings.buffer_bytes / 4;
  const std::size_t each = quarter / (settings.endpoints * settings.of_host);
  limits.unscheduled = each > packet_framing_bytes ? each - packet_framing_bytes : 0;
  limits.group_ahead = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(quarter / (limits.payload + packet_framing_bytes), 1, 8));
  settings.endpoint.window = std::min(settings.endpoint.window, settings.budget);
  const Nanoseconds twice_buffer{static_cast<std::int64_t>(
      2 * static_cast<double>(settings.buffer_bytes) * 8e9 / settings.rate_bit_s)};
  ProbeTimes& times = settings.endpoint.times;
  times.first = std::clamp(twice_buffer, times.shortest, times.first);
}

// Bursts of losses somewhere, which lower limits.
void lower_limits(SimulatedNetwork& network, std::mt19937_64& chance, std::uint32_t ends) {
  for (std::uint64_t i = chance() % 8; i > 0; --i) {
    const auto end = static_cast<EndpointId>(chance() % ends);
    const std::uint64_t losses = chance() % 30;
    const Nanoseconds when{static_cast<std::int64_t>(chance() % 100'000'000)};
    network.at(when, [&network, end, losses] {
      for (std::uint64_t loss = 0; loss < losses; ++loss) network.budget(end).lost(network.now());
    });
  }
}

// A process that is stopped for a while.
Nanoseconds stop_one(SimulatedNetwork& network, std::mt19937_64& chance, std::uint32_t ends) {
  const auto end = static_cast<EndpointId>(chance() % ends);
  const Nanoseconds when{static_cast<std::int64_t>(chance() % 50'000'000)};
  const Nanoseconds pause{static_cast<std::int64_t>(chance() % 2'000'000'000)};
  network.at(when, [&network, end] { network.silence(end, true); });
  network.at(when + pause, [&network, end] {
    network.silence(end, false);
    network.poke(end);
  });
  return when + pause;
}

// All of the network's faults at once, but seldom.
void disturb(SimulatedSettings& settings) {
  settings.duplication = 0.02;
  settings.reordering = 0.05;
  settings.corruption = 0.002;
}

// Communicators of each thread come and go between its calls, with the numbers of earlier ones.
void make_anew(RandomProgram& program, std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  for (auto& calls : program.threads) {
    for (Call& call : calls) call.made_anew = chance() % 3 > 0;
  }
}

struct Outcome {
  bool done = false;
  bool right = false;
  Endpoint::Flows flows;  // of all ends, once all communicators were freed
  // The longest time in which nothing went on though nobody paused; as long as it may be.
  Nanoseconds stood{};
  Nanoseconds bound{};
  std::uint64_t overflows = 0;
  std::string standing;
};

// Probes are at most a second apart: so late it is noticed that a process goes on which others
// had asked in vain, and a second later still where that probe, or its answer, is lost. Else the
// wait for the next probe after six in a row from 5 ms on, or after four of the longest first
// ones here (25 ms), is 320 and 400 ms. See docs/decisions/52_lost_questions_wait_alone.md.
Nanoseconds bound(bool loses, bool overflows, bool stopped) {
  if (stopped) return milliseconds(loses ? 2200 : 1100);
  return milliseconds(loses || overflows ? 500 : 100);
}

Endpoint::Flows flows_when_all_is_freed(SimulatedNetwork& network, const RandomProgram& program,
                                        std::uint32_t ends) {
  for (EndpointId end = 0; end < ends; ++end) {
    for (const auto& calls : program.threads) {
      for (const Call& call : calls) network.release(end, call.channel);
    }
    for (const Channel channel : ProgramRun::other_channels) network.release(end, channel);
  }
  network.pass(milliseconds(30'000));
  Endpoint::Flows all;
  for (EndpointId end = 0; end < ends; ++end) {
    const Endpoint::Flows flows = network.endpoint(end).flows();
    all.live += flows.live;
    all.dormant += flows.dormant;
  }
  return all;
}

Outcome run(std::uint64_t seed, bool frees) {
  std::mt19937_64 chance(seed);
  SimulatedSettings settings = draw_settings(chance, seed);
  RandomProgram program = RandomProgram::draw(chance, settings.endpoint.limits.payload);
  fit(settings, program);
  if (frees) disturb(settings);
  if (frees) make_anew(program, seed);
  SimulatedNetwork network(settings);
  ProgramRun run(network, program);
  if (chance() % 2 == 0) lower_limits(network, chance, settings.endpoints);
  const Nanoseconds goes_on =
      chance() % 8 == 0 ? stop_one(network, chance, settings.endpoints) : Nanoseconds{};
  const auto moved = [&] {
    std::uint64_t count = run.completed();
    for (EndpointId end = 0; end < settings.endpoints; ++end)
      count += network.endpoint(end).counters().data_received;
    return count;
  };
  Outcome outcome;
  std::uint64_t before = 0;
  Nanoseconds since{};
  while (!run.is_done() && network.now() - since < milliseconds(60'000)) {
    network.pass(milliseconds(5));
    const std::uint64_t now = moved();
    if (now != before || run.pausing() > 0 || network.now() < goes_on) since = network.now();
    before = now;
    if (network.now() - since > outcome.stood) {
      outcome.stood = network.now() - since;
      outcome.standing = run.standing();
    }
  }
  outcome.done = run.is_done();
  outcome.right = run.is_right() && network.mismatches() == 0;
  outcome.bound = bound(settings.loss > 0, network.overflows() > 0, goes_on.value > 0);
  outcome.overflows = network.overflows();
  if (frees) outcome.flows = flows_when_all_is_freed(network, program, settings.endpoints);
  return outcome;
}

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 0;
};

Seeds seeds_up_to(std::uint64_t usual) {
  Seeds seeds{1, usual};
  if (const char* given = std::getenv("QUADRILLE_SEEDS"); given != nullptr)
    std::sscanf(given, "%" SCNu64 "-%" SCNu64, &seeds.first, &seeds.last);
  return seeds;
}

TEST(Progress, of_random_programs_that_free_their_communicators_leaves_no_flow_behind) {
  const auto [first, last] = seeds_up_to(400);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Outcome outcome = run(seed, true);
    EXPECT_TRUE(outcome.done) << "seed " << seed << " stands still:\n" << outcome.standing;
    EXPECT_TRUE(outcome.right) << "seed " << seed;
    EXPECT_EQ(outcome.flows.live, 0U) << "seed " << seed;
    EXPECT_GT(outcome.flows.dormant, 0U) << "seed " << seed;
  }
}

TEST(Progress, of_random_programs_ends_with_their_end) {
  const auto [first, last] = seeds_up_to(500);
  std::uint64_t overflows = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Outcome outcome = run(seed, false);
    EXPECT_TRUE(outcome.done) << "seed " << seed << " stands still:\n" << outcome.standing;
    EXPECT_TRUE(outcome.right) << "seed " << seed;
    EXPECT_LT(outcome.stood, outcome.bound) << "seed " << seed << ":\n" << outcome.standing;
    overflows += outcome.overflows;
  }
  std::printf("%" PRIu64 " packets did not fit into a port's buffer\n", overflows);
}

}  // namespace
}  // namespace quadrille::wire
