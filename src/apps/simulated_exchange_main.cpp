// SPDX-License-Identifier: BSD-3-Clause
// quadrille-simulated-exchange: how long all-to-all exchanges take among hosts of one simulated
// switch, by the wire's own endpoints in virtual time, and what the switch drops. Links take the
// time that they need, processors none. One JSON object an exchange: the first ones show how
// budgets grow. Exit codes: 0 done, 1 wrong data or no end, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/exit_codes.h"
#include "apps/parse_options.h"
#include "wire/simulated/exchange.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

constexpr Nanoseconds kNoEnd{600'000'000'000};

struct ExchangeRequest {
  std::uint32_t hosts = 32;
  std::uint64_t bytes = 65'536;
  double rate_gbit = 25;
  std::uint64_t buffer_kib = 256;
  double latency_us = 2;
  std::uint32_t mtu = 1500;
  std::uint32_t budget = 15;
  std::uint32_t most_budget = 1000;
  std::uint32_t exchanges = 8;
  double loss_percent = 0;
  std::uint64_t seed = 1;

  void add_to(CLI::App& app) {
    app.add_option("--hosts", hosts, "of the switch")->check(CLI::Range(2, 1024));
    app.add_option("--bytes", bytes, "a pair")->check(CLI::Range(1, 1 << 24));
    app.add_option("--rate", rate_gbit, "Gbit/s of a host's cable")->check(CLI::Range(0.001, 1e3));
    app.add_option("--buffer", buffer_kib, "KiB of a port of the switch")
        ->check(CLI::Range(4, 1 << 20));
    app.add_option("--latency", latency_us, "microseconds from host to switch")
        ->check(CLI::Range(0.0, 1e6));
    app.add_option("--mtu", mtu, "bytes of IP packets")->check(CLI::Range(576, 9216));
    app.add_option("--budget", budget, "packets that a host's budget begins with")
        ->check(CLI::Range(1, 100'000));
    app.add_option("--most-budget", most_budget, "packets that it may grow to")
        ->check(CLI::Range(0, 1'000'000));
    app.add_option("--exchanges", exchanges, "one behind the other")->check(CLI::Range(1, 1000));
    app.add_option("--loss", loss_percent, "percent of all datagrams")
        ->check(CLI::Range(0.0, 50.0));
    app.add_option("--seed", seed, "of what is lost");
  }
};

SimulatedSettings settings_of(const ExchangeRequest& request) {
  SimulatedSettings settings;
  settings.endpoints = request.hosts;
  settings.rate_bit_s = request.rate_gbit * 1e9;
  settings.latency = Nanoseconds{static_cast<std::int64_t>(request.latency_us * 1e3)};
  settings.buffer_bytes = request.buffer_kib * 1024;
  settings.budget = request.budget;
  settings.most_budget = request.most_budget;
  settings.loss = request.loss_percent / 100;
  settings.seed = request.seed;
  settings.runs = true;
  settings.endpoint.limits.payload = request.mtu - ip_udp_bytes - overhead_bytes;
  return settings;
}

int run(const ExchangeRequest& request) {
  SimulatedNetwork network(settings_of(request));
  Exchange exchange(network, request.hosts, request.bytes);
  const double limit_ns =
      static_cast<double>(request.bytes * (request.hosts - 1)) * 8 / request.rate_gbit;
  for (std::uint32_t number = 1; number <= request.exchanges; ++number) {
    const Nanoseconds began = network.now();
    const std::uint64_t dropped = network.overflows();
    exchange.begin_anew();
    exchange.enter_all();
    if (!network.run(kNoEnd) || !exchange.right()) {
      std::cerr << "quadrille-simulated-exchange: wrong data or no end\n";
      return exit_code::failed;
    }
    const auto took = static_cast<double>((network.now() - began).value);
    std::uint32_t least = network.budget(0).limit();
    std::uint32_t most = least;
    EndpointCounters sum;
    for (EndpointId host = 0; host < request.hosts; ++host) {
      least = std::min(least, network.budget(host).limit());
      most = std::max(most, network.budget(host).limit());
      const EndpointCounters& one = network.endpoint(host).counters();
      sum.data_sent += one.data_sent;
      sum.data_resent += one.data_resent;
      sum.acks_sent += one.acks_sent;
      sum.runs_sent += one.runs_sent;
    }
    const nlohmann::ordered_json line{
        {"exchange", number},          {"hosts", request.hosts},
        {"bytes", request.bytes},      {"time_ns", took},
        {"of_limit", limit_ns / took}, {"dropped", network.overflows() - dropped},
        {"least_budget", least},       {"most_budget", most},
        {"data_sent", sum.data_sent},  {"data_resent", sum.data_resent},
        {"acks_sent", sum.acks_sent},  {"runs_sent", sum.runs_sent}};
    std::cout << line.dump() << '\n' << std::flush;
  }
  return exit_code::done;
}

}  // namespace
}  // namespace quadrille::wire

int main(int argc, char** argv) {
  CLI::App app{"Times all-to-all exchanges on a simulated switch."};
  quadrille::wire::ExchangeRequest request;
  request.add_to(app);
  if (const auto code = quadrille::parse_options(app, argc, argv)) return *code;
  return quadrille::wire::run(request);
}
