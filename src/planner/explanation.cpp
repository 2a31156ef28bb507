// SPDX-License-Identifier: BSD-3-Clause
#include "planner/explanation.h"

#include <array>

namespace quadrille {
namespace {

Nanoseconds busy_in(const CostBreakdown& cost, NetworkCosts::ResourceIndex resource) {
  return resource == NetworkCosts::none ? Nanoseconds{} : cost.busy[resource];
}

// In the order of TimeShare.
std::array<Nanoseconds, 3> shares_of(const CostBreakdown& cost) {
  const Nanoseconds busiest = busy_in(cost, cost.bottleneck);
  return {busiest, cost.retransmissions, cost.total - busiest - cost.retransmissions};
}

}  // namespace

const char* name_of(TimeShare share) {
  switch (share) {
    case TimeShare::resource:
      return "resource";
    case TimeShare::retransmissions:
      return "retransmissions";
    case TimeShare::waiting:
      return "waiting";
  }
  return "";
}

Comparison compare(const CostBreakdown& slower, const CostBreakdown& faster) {
  Comparison found;
  found.resource = slower.bottleneck;
  found.busy_slower = busy_in(slower, slower.bottleneck);
  found.busy_faster = busy_in(faster, slower.bottleneck);
  const auto long_shares = shares_of(slower);
  const auto short_shares = shares_of(faster);
  for (std::size_t i = 0; i < long_shares.size(); ++i) {
    const Nanoseconds difference = long_shares[i] - short_shares[i];
    if (i > 0 && difference <= found.by) continue;
    found.most = static_cast<TimeShare>(i);
    found.by = difference;
  }
  return found;
}

std::optional<Explanation> explain(const Shape& shape, const KnownNetwork& network,
                                   const std::optional<Candidate>& asked) {
  Explanation found;
  found.candidates = cost_candidates(shape, network.view, *network.costs);
  if (found.candidates.empty() && !asked) return std::nullopt;
  found.library = library_time(network.library, found.candidates, shape);
  if (asked) {
    found.plan = {*asked, cost_of_candidate(*asked, shape, network.view, *network.costs)};
  } else {
    found.plan = found.candidates.front();
  }
  for (const CostedCandidate& one : found.candidates) {
    if (one.candidate.name == found.plan.candidate.name) continue;
    found.other = one;
    break;
  }
  return found;
}

}  // namespace quadrille
