// SPDX-License-Identifier: BSD-3-Clause
// Sets the hosts and their ways up, and runs rounds.
#include "probe/simulated/simulated_network.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "probe/simulated/round_traffic.h"

namespace quadrille::probe {
namespace {

// Deeper queues are not waited for.
constexpr std::int64_t longest_backlog_ns = 1'500'000'000;

std::string address_in(std::size_t network, HostIndex host) {
  const HostIndex number = host + 1;
  return "10." + std::to_string(network + 1) + "." + std::to_string(number / 256) + "." +
         std::to_string(number % 256);
}

// The first thing in `round` that cannot be performed among `hosts` hosts.
std::string problem_in(const Round& round, std::size_t hosts) {
  const auto outside = [&](HostIndex host) { return host >= hosts; };
  const auto wrong_ends = [&](const auto& flow) { return outside(flow.from) || outside(flow.to); };
  const auto wrong_size = [](const auto& flow) {
    return flow.frame_bytes <= kFrameOverheadBytes || flow.frame_bytes > kFullFrameBytes;
  };
  if (std::any_of(round.streams.begin(), round.streams.end(), wrong_ends) ||
      std::any_of(round.exchanges.begin(), round.exchanges.end(), wrong_ends) ||
      std::any_of(round.multicasts.begin(), round.multicasts.end(),
                  [&](const auto& flow) { return outside(flow.from); }) ||
      std::any_of(round.fans.begin(), round.fans.end(), [&](const Fan& fan) {
        return outside(fan.from) || std::any_of(fan.to.begin(), fan.to.end(), outside);
      })) {
    return "names a host beyond the " + std::to_string(hosts) + " there are";
  }
  if (std::any_of(round.streams.begin(), round.streams.end(), wrong_size) ||
      std::any_of(round.multicasts.begin(), round.multicasts.end(), wrong_size)) {
    return "has frames that are not of 43 to 1514 bytes";
  }
  return "";
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(const SimulatedTopology& topology, Conditions conditions)
    : conditions_(std::move(conditions)) {
  assert(problem_of(topology).empty());
  Chance seeds(conditions_.seed);
  for (const auto& host : topology.hosts) {
    behaviours_.emplace_back(host, conditions_, seeds.bits());
    facts_.push_back({.name = host.name,
                      .machine = host.machine.empty() ? "machine-of-" + host.name : host.machine,
                      .cores = host.cores,
                      .ranks = host.ranks,
                      .interfaces = {}});
  }
  std::size_t next_other = 0;
  for (std::size_t at = 0; at <= conditions_.other_networks.size(); ++at) {
    if (at == std::min<std::size_t>(conditions_.main_network, conditions_.other_networks.size())) {
      add_main_network(topology);
    } else {
      add_other_network(topology, conditions_.other_networks[next_other++]);
    }
  }
}

void SimulatedNetwork::add_main_network(const SimulatedTopology& topology) {
  const std::size_t at = candidates_.size();
  CandidateNetwork candidate{.name = "10." + std::to_string(at + 1) + ".0.0/16",
                             .interface = {},
                             .address = {},
                             .preferred = conditions_.main_network_preferred};
  for (HostIndex host = 0; host < facts_.size(); ++host) {
    candidate.interface.emplace_back("eth0");
    candidate.address.push_back(address_in(at, host));
    facts_[host].interfaces.push_back({.name = "eth0",
                                       .address = address_in(at, host),
                                       .prefix_bits = 16,
                                       .mtu_bytes = 1500,
                                       .speed_bit_s = 0,
                                       .full_duplex = true,
                                       .physical = true});
  }
  Way way{std::make_unique<Carrier>(topology, conditions_.seed + at), {}};
  way.reach.isolated.assign(facts_.size(), false);
  for (const auto& trouble : conditions_.troubles) {
    if (trouble.isolated) way.reach.isolated[trouble.host] = true;
  }
  way.reach.firewalled.insert(conditions_.firewalled.begin(), conditions_.firewalled.end());
  candidates_.push_back(std::move(candidate));
  ways_.push_back(std::move(way));
}

void SimulatedNetwork::add_other_network(const SimulatedTopology& topology,
                                         const OtherNetwork& other) {
  const std::size_t at = candidates_.size();
  SimulatedTopology own;
  const NodeIndex node = own.add_switch(other.interface, other.rate_bit_s, 256);
  for (const auto& host : topology.hosts) own.add_host(node, host.name);
  CandidateNetwork candidate{
      .name = other.same_address ? "172.17.0.0/16" : "10." + std::to_string(at + 1) + ".0.0/16",
      .interface = {},
      .address = {},
      .preferred = false};
  for (HostIndex host = 0; host < facts_.size(); ++host) {
    candidate.interface.push_back(other.interface);
    candidate.address.push_back(other.same_address ? "172.17.0.1" : address_in(at, host));
    facts_[host].interfaces.push_back({.name = other.interface,
                                       .address = candidate.address.back(),
                                       .prefix_bits = 16,
                                       .mtu_bytes = 1500,
                                       .speed_bit_s = 0,
                                       .full_duplex = true,
                                       .physical = other.physical});
  }
  Way way{std::make_unique<Carrier>(own, conditions_.seed + at), {}};
  way.reach.nobody = other.same_address;
  way.reach.isolated.assign(facts_.size(), false);
  candidates_.push_back(std::move(candidate));
  ways_.push_back(std::move(way));
}

Result<RoundResult> SimulatedNetwork::perform(const Round& round) {
  if (round.network >= ways_.size()) {
    return Error{ErrorKind::invalid_argument,
                 "round '" + round.purpose + "': there is no network " +
                     std::to_string(round.network) + "; there are " + std::to_string(ways_.size())};
  }
  if (const auto problem = problem_in(round, facts_.size()); !problem.empty()) {
    return Error{ErrorKind::invalid_argument, "round '" + round.purpose + "' " + problem};
  }
  const std::int64_t control_ns =
      conditions_.control_cost_ns +
      conditions_.control_cost_per_host_ns * static_cast<std::int64_t>(facts_.size());
  const std::int64_t start_ns = now_ns_ + control_ns;
  const std::int64_t end_ns = start_ns + std::max<std::int64_t>(round.duration_ns, 0);
  for (const auto& trouble : conditions_.troubles) {
    if (trouble.dies_at_ns < 0 || trouble.dies_at_ns > end_ns) continue;
    now_ns_ = end_ns;
    return Error{ErrorKind::peer_lost, "host " + facts_[trouble.host].name +
                                           " stopped answering during round '" + round.purpose +
                                           "'; see whether it is still up"};
  }
  for (auto& behaviour : behaviours_) behaviour.begin_round(start_ns);
  Way& way = ways_[round.network];
  RoundTraffic traffic(round,
                       {*way.carrier, behaviours_, way.reach, conditions_.wrong_samples, ++rounds_},
                       start_ns);
  traffic.schedule_all();
  way.carrier->run_until(end_ns, traffic);
  now_ns_ = way.carrier->run_empty(end_ns, end_ns + longest_backlog_ns);
  sent_bytes_ += traffic.sent_bytes();
  RoundResult result = traffic.result();
  result.left_ns = now_ns_ - end_ns;
  return result;
}

std::uint64_t SimulatedNetwork::events() const {
  return std::accumulate(
      ways_.begin(), ways_.end(), std::uint64_t{0},
      [](std::uint64_t sum, const Way& way) { return sum + way.carrier->events(); });
}

}  // namespace quadrille::probe
