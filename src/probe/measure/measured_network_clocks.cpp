// SPDX-License-Identifier: BSD-3-Clause
// Clocks of other machines, aligned by exchanges of datagrams every two seconds.
#include <algorithm>

#include "probe/measure/agent/round_part.h"
#include "probe/measure/measured_network.h"
#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t aligned_for_ns = 2'000'000'000;
constexpr std::int64_t trips = 6;
// For a host whose round trip is not known yet.
constexpr std::int64_t first_slot_ns = 4'000'000;
constexpr std::int64_t first_limit_ns = 150'000'000;
constexpr std::int64_t spare_ns = 200'000;

}  // namespace

// The coordinator asks one host after the other.
Round MeasuredNetwork::alignment_round(std::uint32_t network) const {
  Round round;
  round.purpose = "aligning clocks";
  round.network = network;
  std::int64_t at_ns = 0;
  for (HostIndex host = 1; host < hosts_.size(); ++host) {
    if (own_clock_[host] || networks_[network].address[host].empty()) continue;
    const bool known = trip_ns_[host] > 0;
    Exchange exchange;
    exchange.to = host;
    exchange.at_ns = at_ns;
    exchange.count = static_cast<std::uint32_t>(trips);
    exchange.limit_ns = known ? 3 * trips * trip_ns_[host] + spare_ns : first_limit_ns;
    round.exchanges.push_back(exchange);
    at_ns += known ? 2 * trips * trip_ns_[host] + spare_ns : first_slot_ns;
    round.duration_ns = std::max(round.duration_ns, exchange.at_ns + exchange.limit_ns);
  }
  return round;
}

Result<bool> MeasuredNetwork::align_clocks(std::uint32_t network) {
  const bool recent = aligned_at_ns_ != 0 && steady_ns() - aligned_at_ns_ < aligned_for_ns;
  const bool alone = networks_[network].address[0].empty();
  if (recent || alone || std::ranges::find(own_clock_, false) == own_clock_.end()) return true;
  agents_.set_purpose("aligning clocks");
  const Round round = alignment_round(network);
  std::vector<PartResult> reports;
  if (auto done = attempt(round, reports); !done.ok()) return done;
  // On a network that does not carry them the clocks stay as well aligned as they were.
  const std::int64_t now_ns = realtime_ns();
  for (const ExchangeOutcome& outcome : reports[0].exchanges) {
    if (outcome.id >= round.exchanges.size() || outcome.round_trips_ns.empty()) continue;
    const HostIndex host = round.exchanges[outcome.id].to;
    const std::int64_t trip_ns = std::ranges::min(outcome.round_trips_ns);
    if (trip_ns_[host] == 0 || trip_ns < trip_ns_[host]) trip_ns_[host] = trip_ns;
    clocks_[host].learn(
        {now_ns, clocks_[host].ahead_ns(now_ns) + outcome.clock_error_ns, trip_ns / 2});
  }
  aligned_at_ns_ = steady_ns();
  return true;
}

}  // namespace quadrille::probe
