// SPDX-License-Identifier: BSD-3-Clause
#include "apps/plan/planned_network.h"

#include <algorithm>
#include <set>
#include <utility>

#include "network/model/model_rates.h"
#include "planner/planner.h"

namespace quadrille::plan {
namespace {

Error unusable(const std::string& what) { return {ErrorKind::invalid_argument, what}; }

std::vector<std::string> hosts_of_model(const NetworkModel& model) {
  std::vector<std::string> names;
  for (const ModelHost& host : model.hosts) names.push_back(host.name);
  return names;
}

// Programs use it from three hosts on, and find out at their start whether it also passes between
// segments.
bool has_multicast(const NetworkModel& model, const std::vector<std::string>& hosts) {
  return hosts.size() >= 3 && std::ranges::all_of(hosts, [&](const std::string& name) {
           const auto host = std::ranges::find(model.hosts, name, &ModelHost::name);
           return std::ranges::find(model.segments, host->segment, &Segment::name)
               ->multicast.value_or(false);
         });
}

}  // namespace

const std::string& PlannedNetwork::host_of(Rank rank) const {
  return hosts[costs().host_of_rank[static_cast<std::size_t>(rank)]];
}

const std::string& PlannedNetwork::segment_of(Rank rank) const {
  return std::ranges::find(model.hosts, host_of(rank), &ModelHost::name)->segment;
}

Result<PlannedNetwork> place_ranks(const NetworkModel& model, const Placement& placement) {
  std::vector<std::string> hosts =
      placement.hosts.empty() ? hosts_of_model(model) : placement.hosts;
  std::set<std::string> seen;
  for (const std::string& host : hosts) {
    if (!seen.insert(host).second) return unusable("host " + host + " is named twice");
  }
  const auto per_host = static_cast<std::size_t>(placement.ranks_per_host);
  const std::size_t places = hosts.size() * per_host;
  const std::size_t ranks =
      placement.ranks == 0 ? places : static_cast<std::size_t>(placement.ranks);
  if (ranks > places) {
    return unusable(std::to_string(ranks) + " ranks are more than " + std::to_string(hosts.size()) +
                    " hosts with " + std::to_string(per_host) +
                    " a host hold; give fewer --ranks or more --ranks-per-host");
  }
  hosts.resize((ranks + per_host - 1) / per_host);
  std::vector<std::uint32_t> host_of_rank(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    host_of_rank[rank] = static_cast<std::uint32_t>(rank / per_host);
  const auto in_model = hosts_of(model, hosts);
  if (!in_model.ok()) return in_model.error();
  auto view = view_of(model, hosts, host_of_rank);
  if (!view.ok()) return view.error();
  std::vector<std::uint32_t> model_host_of_rank;
  for (const std::uint32_t host : host_of_rank)
    model_host_of_rank.push_back(in_model.value()[host]);
  for (std::size_t host = 0; host < hosts.size(); ++host)
    hosts[host] = model.hosts[in_model.value()[host]].name;
  view.value().has_wire = true;
  view.value().has_host_memory = true;
  view.value().has_multicast = placement.multicast && has_multicast(model, hosts);
  return PlannedNetwork{model, std::move(hosts),
                        known_network(model, std::move(view.value()), model_host_of_rank)};
}

LowerBound bound_of(const Shape& shape, const PlannedNetwork& network, Delivery delivery) {
  const NetworkRates rates = rates_of(network.model);
  BoundedCall call{.collective = shape.collective,
                   .bytes = message_size(shape).value,
                   .root = shape.root,
                   .host_of_rank = {}};
  // place_ranks() refuses hosts without a segment, the only ones that have no rates.
  const auto hosts = host_indices(rates, network.hosts).value();
  for (const std::uint32_t host : network.costs().host_of_rank)
    call.host_of_rank.push_back(hosts[host]);
  return lower_bound(call, rates, kTcpFrames, delivery);
}

RunTimeDecision decision_of(const Shape& shape, const PlannedNetwork& network) {
  Planner planner(PlannerOptions{}, network.known, 0);
  const Decision& decision = planner.decision(shape, !is_reducing(shape.collective));
  RunTimeDecision found{decision.reason, {}};
  for (const Candidate& candidate : decision.candidates) found.candidates.push_back(candidate.name);
  return found;
}

}  // namespace quadrille::plan
