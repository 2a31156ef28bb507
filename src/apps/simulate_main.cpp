// SPDX-License-Identifier: BSD-3-Clause
// quadrille-simulate: how long a collective takes on a simulated network, by the planner's
// schedules, the executor and the endpoints that run in real jobs, in virtual time. One JSON object
// at the end. Exit codes: 0 done, 1 it does not end or data are wrong, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/exit_codes.h"
#include "apps/parse_options.h"
#include "apps/simulate/planned_call.h"
#include "apps/simulate/simulate_request.h"
#include "apps/simulate/simulation.h"
#include "wire/seal/keys.h"

namespace quadrille::simulate {
namespace {

using Json = nlohmann::ordered_json;

int complain(const Error& error) {
  std::cerr << "quadrille-simulate: " << error.message << '\n';
  return error.kind == ErrorKind::invalid_argument ? exit_code::wrong_usage : exit_code::failed;
}

Json json_of(const SimulatedCallTimes& times, const PlannedCall& call) {
  const auto ns = static_cast<double>(times.time.value);
  return {{"time_ns", times.time.value},
          {"of_limit", call.bound.time_ns() / ns},
          {"dropped", times.drops.all()},
          {"dropped_at_trunks", times.drops.trunks},
          {"dropped_at_hosts", times.drops.host_ports},
          {"dropped_at_sockets", times.drops.sockets},
          {"data_sent", times.data_sent},
          {"data_resent", times.data_resent},
          {"acks_sent", times.acks_sent},
          {"wire_bytes", times.wire_bytes},
          {"busiest_trunk", times.busiest_trunk},
          {"busiest_host_port", times.busiest_port},
          {"most_queued_at_trunks_bytes", times.most_queued_trunk},
          {"most_queued_at_hosts_bytes", times.most_queued_port},
          {"least_budget", times.least_budget},
          {"most_budget", times.most_budget},
          {"engine_bytes_per_rank", times.engine_bytes},
          {"most_engine_bytes_per_rank", times.most_engine_bytes},
          {"events", times.events},
          {"wall_s", times.wall_s}};
}

int run(const SimulateRequest& request) {
  if (!wire::start_cryptography())
    return complain({ErrorKind::system, "libsodium or libaegis cannot start"});
  const auto call = plan_call(request);
  if (!call.ok()) return complain(call.error());
  const auto simulation = Simulation::of(request, call.value());
  if (!simulation.ok()) return complain(simulation.error());
  Json calls = Json::array();
  for (std::uint32_t number = 1; number <= request.calls; ++number) {
    const auto times = simulation.value()->run(number);
    if (!times.ok()) return complain(times.error());
    calls.push_back(json_of(times.value(), call.value()));
  }
  const PlannedCall& planned = call.value();
  const Json line{{"operation", name_of(planned.shape.collective)},
                  {"bytes", request.bytes},
                  {"blocks", planned.counts.empty() ? Json() : Json(request.blocks)},
                  {"network", request.network},
                  {"ranks", planned.shape.ranks},
                  {"ranks_per_host", request.ranks_per_host},
                  {"hosts", planned.network.hosts.size()},
                  {"seed", request.seed},
                  {"algorithm", planned.candidate.name},
                  {"chosen_by", planned.chosen_by},
                  {"tried", planned.tried},
                  {"contents", simulation.value()->is_checked() ? "checked" : "shared memory"},
                  {"limit_ns", planned.bound.time_ns()},
                  {"limit_set_by", planned.bound.bottleneck},
                  {"limit_with_multicast", planned.bound.with_multicast},
                  {"calls", calls}};
  std::cout << line.dump() << '\n';
  return exit_code::done;
}

}  // namespace
}  // namespace quadrille::simulate

int main(int argc, char** argv) {
  CLI::App app{"Times a collective on a simulated network.", "quadrille-simulate"};
  quadrille::simulate::SimulateRequest request;
  request.add_to(app);
  if (const auto code = quadrille::parse_options(app, argc, argv)) return *code;
  try {
    return quadrille::simulate::run(request);
  } catch (const std::exception& error) {
    std::cerr << "quadrille-simulate: " << error.what() << '\n';
    return quadrille::exit_code::failed;
  }
}
