// SPDX-License-Identifier: BSD-3-Clause
#include "apps/simulate/planned_call.h"

#include <algorithm>
#include <utility>

#include "algorithms/alltoall/count_exchange.h"
#include "apps/plan/choose.h"
#include "apps/simulate/block_sizes.h"
#include "network/model/model_rates.h"
#include "planner/forced_choice.h"
#include "planner/plan_search.h"
#include "planner/planner.h"
#include "wire/budget/credit_budget.h"

namespace quadrille::simulate {
namespace {

// Endpoints have 24 bits.
constexpr std::uint64_t most_ranks = (std::uint64_t{1} << 24U) - 1;

Error unusable(const std::string& what) { return {ErrorKind::invalid_argument, what}; }

std::string simulated_collectives() {
  std::string names;
  for (const Collective collective : collectives()) {
    if (has_counts(collective) && collective != Collective::alltoallv) continue;
    names += (names.empty() ? "" : ", ") + std::string(name_of(collective));
  }
  return names;
}

std::optional<Error> check(const SimulateRequest& request) {
  const auto collective = collective_named(request.collective);
  if (!collective || (has_counts(*collective) && *collective != Collective::alltoallv))
    return unusable("there is no '" + request.collective + "' to simulate; there are " +
                    simulated_collectives());
  if (request.ranks > most_ranks)
    return unusable("--ranks " + std::to_string(request.ranks) +
                    ": the wire numbers ranks by 24 "
                    "bits, " +
                    std::to_string(most_ranks) + " at most");
  if (request.ranks_per_host < 1 || request.ranks_per_host > wire::CreditBoard::holders)
    return unusable("--ranks-per-host " + std::to_string(request.ranks_per_host) +
                    ": a host's board has room for 1 to " +
                    std::to_string(wire::CreditBoard::holders));
  if (*collective == Collective::alltoallv && !block_sizes_named(request.blocks))
    return unusable("--blocks " + request.blocks + ": none of " + std::string(block_sizes_words));
  return std::nullopt;
}

Result<Shape> shape_of(const SimulateRequest& request, Rank ranks) {
  const Collective collective = collective_named(request.collective).value();
  if (ranks < 2) return unusable("one rank sends nothing; give more --ranks");
  if (request.root < 0 || request.root >= ranks)
    return unusable("--root " + std::to_string(request.root) + " is none of " +
                    std::to_string(ranks) + " ranks, which are numbered from 0");
  if (request.bytes == 0 && collective != Collective::barrier)
    return unusable("how large is the " + request.collective + "? give --bytes, such as 65536");
  const bool tells_size = collective != Collective::barrier && !has_counts(collective);
  const std::uint64_t bytes = tells_size ? request.bytes : 0;
  const std::uint32_t element = plan::element_bytes_for(collective, bytes);
  return Shape{.collective = collective,
               .ranks = ranks,
               .root = is_rooted(collective) ? request.root : 0,
               .count = bytes / element,
               .element_bytes = element};
}

// What a rank of the same host has told each other one, which the MPI library carries in a job.
void exchange_counts_of_hosts(const TopologyView& view, std::vector<StoredCounts>& counts) {
  std::vector<std::vector<std::vector<std::uint64_t>>> told(counts.size());
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const CarriedHosts hosts(view, static_cast<Rank>(rank));
    told[rank].resize(hosts.own().size());
    for (std::size_t place = 0; place < hosts.own().size(); ++place) {
      const auto other = static_cast<std::size_t>(hosts.own()[place]);
      if (other != rank)
        told[rank][place] = counts_for(CarriedHosts(view, static_cast<Rank>(other)),
                                       counts[other].view(), hosts.place());
    }
  }
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    counts[rank].told = std::move(told[rank]);
}

// Of an alltoallv the mean block of whoever sends most, as ranks of a job agree on.
Bytes size_of(const PlannedCall& call) {
  if (call.counts.empty()) return message_size(call.shape);
  std::uint64_t most = 0;
  for (const StoredCounts& counts : call.counts) {
    std::uint64_t sum = 0;
    for (const std::uint64_t length : counts.send.lengths) sum += length;
    most = std::max(most, sum / counts.send.lengths.size());
  }
  return {most * call.shape.element_bytes};
}

std::optional<Error> choose_asked(const std::string& asked, PlannedCall& call) {
  const std::string collective = name_of(call.shape.collective);
  const auto parsed = parse_forced_choice(collective + ":" + asked);
  if (!parsed.ok()) {
    // Its errors begin with the variable that holds such text in a program.
    const std::string& message = parsed.error().message;
    const std::size_t behind = message.find(": ");
    return unusable("--algorithm " + message.substr(behind == std::string::npos ? 0 : behind + 2));
  }
  const ForcedCandidate& found = parsed.value().at(call.shape.collective);
  if (found.algorithm == nullptr)
    return unusable("--algorithm " + asked + ": the MPI library's own schedule is not known");
  if (!found.algorithm->supports(call.shape))
    return unusable("--algorithm " + asked +
                    ": does not support this call; docs/algorithms.md says what it needs");
  call.candidate = candidate_of(*found.algorithm, found.parameters);
  call.chosen_by = "asked for";
  return std::nullopt;
}

std::optional<Error> choose_as_planner(PlannedCall& call) {
  Planner planner(PlannerOptions{}, call.network.known, 0);
  const Decision& decision =
      planner.decision(call.shape, !is_reducing(call.shape.collective), size_of(call));
  for (const Candidate& candidate : decision.candidates) {
    call.tried.push_back(candidate.name);
    if (candidate.algorithm == nullptr || call.candidate.algorithm != nullptr) continue;
    call.candidate = candidate;
    call.chosen_by = decision.reason;
  }
  if (call.candidate.algorithm != nullptr) return std::nullopt;
  call.chosen_by =
      "cheapest of ours; a job leaves it to the MPI library: " + std::string(decision.reason);
  if (!has_counts(call.shape.collective)) {
    auto costed = cost_candidates(call.shape, call.network.known.view, *call.network.known.costs);
    if (!costed.empty()) {
      call.candidate = std::move(costed.front().candidate);
      return std::nullopt;
    }
  }
  return Error{ErrorKind::unsupported, "no candidate of " +
                                           std::string(name_of(call.shape.collective)) +
                                           " is known for this call; name an --algorithm"};
}

void bound_call(PlannedCall& call) {
  const NetworkRates rates = rates_of(call.network.model);
  const auto hosts = host_indices(rates, call.network.hosts).value();
  BoundedCall bounded{.collective = call.shape.collective,
                      .bytes = message_size(call.shape).value,
                      .root = call.shape.root,
                      .host_of_rank = {}};
  for (const std::uint32_t host : call.network.costs().host_of_rank)
    bounded.host_of_rank.push_back(hosts[host]);
  if (!call.counts.empty()) {
    bounded.block_bytes = [&](Rank from, Rank to) {
      return call.counts[static_cast<std::size_t>(from)].send.lengths[static_cast<std::size_t>(to)];
    };
  }
  // TCP's packets on a cable of that MTU, as kTcpSlots are at 1500.
  const std::uint64_t headers = 1500 - kTcpSlots.payload;
  const Framing framing{call.cluster.settings.mtu - headers, kTcpSlots.overhead};
  call.bound = lower_bound(bounded, rates, framing);
}

}  // namespace

Result<PlannedCall> plan_call(const SimulateRequest& request) {
  if (const auto error = check(request)) return *error;
  const auto per_host = static_cast<Rank>(request.ranks_per_host);
  const auto hosts = static_cast<std::uint32_t>((request.ranks + request.ranks_per_host - 1) /
                                                request.ranks_per_host);
  auto cluster = cluster_of(request.network, std::max(hosts, 2U));
  if (!cluster.ok()) return cluster.error();
  auto network =
      plan::place_ranks(cluster.value().model, {.hosts = {},
                                                .ranks_per_host = per_host,
                                                .ranks = static_cast<Rank>(request.ranks),
                                                .multicast = request.multicast});
  if (!network.ok()) return network.error();
  const auto shape = shape_of(request, network.value().ranks());
  if (!shape.ok()) return shape.error();
  PlannedCall call{.cluster = std::move(cluster.value()),
                   .network = std::move(network.value()),
                   .shape = shape.value(),
                   .counts = {},
                   .candidate = {},
                   .chosen_by = {},
                   .tried = {},
                   .schedules = {},
                   .bound = {}};
  call.network.known.view.has_host_memory = false;  // group steps through it are not simulated
  const auto ranks = static_cast<std::size_t>(call.shape.ranks);
  if (has_counts(call.shape.collective)) {
    const BlockLengths lengths =
        lengths_of(*block_sizes_named(request.blocks), request.bytes, request.seed);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      call.counts.push_back(counts_of(call.shape, static_cast<Rank>(rank), lengths));
  }
  const auto error =
      request.algorithm.empty() ? choose_as_planner(call) : choose_asked(request.algorithm, call);
  if (error) return *error;
  const TopologyView& view = call.network.known.view;
  if (!call.counts.empty() && needs_count_exchange(*call.candidate.algorithm))
    exchange_counts_of_hosts(view, call.counts);
  call.schedules.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    call.schedules.emplace_back(call.candidate.algorithm->generate(
        {call.shape, view, call.candidate.parameters, static_cast<Rank>(rank),
         call.counts.empty() ? LocalCounts{} : call.counts[rank].view()}));
  }
  bound_call(call);
  return call;
}

}  // namespace quadrille::simulate
