// SPDX-License-Identifier: BSD-3-Clause
// The tournament, its slots, and what came of them.
#include "probe/latency/exchange_slots.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace quadrille::probe {
namespace {

// Bounds what one round's orders and results take, and how long nothing is heard of progress.
constexpr std::int64_t kLongestRoundNs = 400 * kMillisecond;
constexpr std::int64_t kSlotSettleNs = 3 * kMillisecond;
// Between the end of an exchange and the next slot: a host must wake up in time for it.
constexpr std::int64_t kGuardNs = 150'000;
constexpr std::size_t kOpenSlots = 16;
// Waking up for a slot, and clocks that differ by some tens of microseconds.
constexpr std::int64_t kSlotOverheadNs = 350'000;
constexpr double kMargin = 1.5;  // over the time that most pairs need

}  // namespace

std::vector<HostPair> tournament(const std::vector<HostIndex>& hosts) {
  // An odd host out rests against nobody.
  const std::size_t seats = hosts.size() + hosts.size() % 2;
  std::vector<HostPair> pairs;
  for (std::size_t turn = 0; turn + 1 < seats; ++turn) {
    for (std::size_t table = 0; table < seats / 2; ++table) {
      // The last seat stays, the others move round.
      const std::size_t circle = seats - 1;
      const std::size_t first = table == 0 ? circle : (turn + table) % circle;
      const std::size_t second = (turn + circle - table) % circle;
      if (first >= hosts.size() || second >= hosts.size()) continue;
      pairs.emplace_back(hosts[first], hosts[second]);
    }
  }
  return pairs;
}

std::vector<std::vector<HostPair>> slots_of(const std::vector<HostPair>& pairs,
                                            std::uint32_t at_once) {
  std::vector<std::vector<HostPair>> slots;
  std::vector<std::set<HostIndex>> busy;
  for (const auto& [first, second] : pairs) {
    std::size_t slot = slots.size() - std::min(slots.size(), kOpenSlots);
    while (slot < slots.size() && (slots[slot].size() >= at_once || busy[slot].contains(first) ||
                                   busy[slot].contains(second))) {
      ++slot;
    }
    if (slot == slots.size()) {
      slots.emplace_back();
      busy.emplace_back();
    }
    slots[slot].emplace_back(first, second);
    busy[slot].insert({first, second});
  }
  return slots;
}

std::optional<Error> exchange_in_slots(Setting& setting, const std::vector<HostPair>& pairs,
                                       const SlotPlan& plan, TripTable& samples) {
  const auto slots = slots_of(pairs, plan.at_once);
  const auto slots_a_round =
      static_cast<std::size_t>(std::max<std::int64_t>(1, kLongestRoundNs / plan.slot_ns));
  for (std::size_t begin = 0; begin < slots.size(); begin += slots_a_round) {
    const std::size_t end = std::min(slots.size(), begin + slots_a_round);
    Round round;
    round.purpose = plan.purpose;
    round.network = setting.network_index;
    round.duration_ns = static_cast<std::int64_t>(end - begin) * plan.slot_ns + kSlotSettleNs;
    for (std::size_t slot = begin; slot < end; ++slot) {
      for (const auto& [from, to] : slots[slot]) {
        Exchange exchange{.from = from, .to = to};
        exchange.at_ns = static_cast<std::int64_t>(slot - begin) * plan.slot_ns;
        exchange.count = plan.count;
        exchange.there_bytes = plan.there_bytes;
        exchange.back_bytes = plan.back_bytes;
        exchange.limit_ns = std::max(plan.slot_ns - kGuardNs, plan.slot_ns / 2);
        round.exchanges.push_back(exchange);
      }
    }
    auto performed = setting.network.perform(round);
    if (!performed.ok()) return performed.error();
    for (std::size_t i = 0; i < round.exchanges.size(); ++i) {
      const ExchangeResult& seen = performed.value().exchanges[i];
      TripSamples& kept = samples.at(round.exchanges[i].from, round.exchanges[i].to);
      kept.round_trips_ns.insert(kept.round_trips_ns.end(), seen.round_trips_ns.begin(),
                                 seen.round_trips_ns.end());
      if (seen.time_to_live != 0) kept.time_to_live = seen.time_to_live;
    }
  }
  return std::nullopt;
}

std::int64_t slot_for(std::int64_t round_trip_ns, std::uint32_t repeats) {
  const double needed = static_cast<double>(round_trip_ns) * repeats * kMargin;
  return static_cast<std::int64_t>(needed) + kSlotOverheadNs;
}

std::vector<HostPair> first_of(std::vector<HostPair> pairs, std::size_t count) {
  if (pairs.size() > count) pairs.resize(count);
  return pairs;
}

std::size_t pairs_within(std::int64_t budget_ns, std::int64_t slot_ns, std::uint32_t at_once,
                         std::size_t hosts) {
  const auto slots = static_cast<std::size_t>(std::max<std::int64_t>(1, budget_ns / slot_ns));
  return slots * std::min<std::size_t>(at_once, std::max<std::size_t>(1, hosts / 2));
}

PairLatency latency_of(const TripSamples& samples) {
  PairLatency latency;
  if (samples.round_trips_ns.empty()) return latency;
  auto trips = samples.round_trips_ns;
  std::ranges::sort(trips);
  const auto count = static_cast<std::int64_t>(trips.size());
  latency.least_round_trip_ns = trips.front();
  latency.mean_ns = std::accumulate(trips.begin(), trips.end(), std::int64_t{0}) / count;
  latency.median_ns = trips[trips.size() / 2];
  latency.most_ns = trips.back();
  latency.answered = static_cast<std::uint32_t>(trips.size());
  latency.time_to_live = samples.time_to_live;
  return latency;
}

PairTable<PairLatency> latencies_of(const TripTable& samples, bool symmetric) {
  PairTable<PairLatency> latencies(samples.hosts());
  for (HostIndex from = 0; from < samples.hosts(); ++from) {
    for (HostIndex to = 0; to < samples.hosts(); ++to) {
      if (!symmetric) {
        latencies.at(from, to) = latency_of(samples.at(from, to));
      } else if (from < to) {
        TripSamples both = samples.at(from, to);
        const TripSamples& back = samples.at(to, from);
        both.round_trips_ns.insert(both.round_trips_ns.end(), back.round_trips_ns.begin(),
                                   back.round_trips_ns.end());
        if (both.time_to_live == 0) both.time_to_live = back.time_to_live;
        latencies.at(from, to) = latencies.at(to, from) = latency_of(both);
      }
    }
  }
  return latencies;
}

}  // namespace quadrille::probe
