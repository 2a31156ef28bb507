// SPDX-License-Identifier: BSD-3-Clause
// A round a network: trains one after the other, then round trips.
#include "probe/reach/network_worth.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "probe/quantile.h"

namespace quadrille::probe {
namespace {

constexpr std::size_t kPairsCompared = 3;
constexpr std::int64_t kTrainSlotNs = 15 * kMillisecond;  // 12 full frames at 10 Mbit/s
constexpr std::int64_t kExchangeSlotNs = 5 * kMillisecond;
constexpr std::uint32_t kShortTrain = 12;
constexpr std::uint32_t kLongTrain = 120;
// Above this rate a short train lasts less than 0.5 ms, which time stamps may be wrong by a fifth
// of.
constexpr double kLongTrainAboveBitS = 250e6;

using Pairs = std::vector<std::pair<HostIndex, HostIndex>>;

// Disjoint pairs of `shared`, on different machines where possible.
Pairs pairs_to_compare(std::vector<HostIndex> shared, const std::vector<HostFacts>& facts,
                       std::mt19937_64& chance) {
  std::ranges::shuffle(shared, chance);
  Pairs pairs;
  while (shared.size() >= 2 && pairs.size() < kPairsCompared) {
    const HostIndex first = shared.back();
    shared.pop_back();
    auto second = std::ranges::find_if(
        shared, [&](HostIndex host) { return facts[host].machine != facts[first].machine; });
    if (second == shared.end()) second = shared.begin();
    pairs.emplace_back(first, *second);
    shared.erase(second);
  }
  return pairs;
}

Round worth_round(std::uint32_t candidate, const Pairs& pairs, std::uint32_t frames) {
  Round round;
  round.purpose = "comparing networks";
  round.network = candidate;
  std::int64_t at_ns = 0;
  for (const auto& [from, to] : pairs) {
    Stream train{.from = from, .to = to, .at_ns = at_ns, .count = frames};
    train.keep_arrivals = true;
    round.streams.push_back(train);
    at_ns += kTrainSlotNs;
  }
  for (const auto& [from, to] : pairs) {
    Exchange exchange{.from = from, .to = to, .at_ns = at_ns, .count = 10};
    exchange.limit_ns = kExchangeSlotNs;
    round.exchanges.push_back(exchange);
    at_ns += kExchangeSlotNs;
  }
  round.duration_ns = at_ns + 30 * kMillisecond;
  return round;
}

Result<NetworkWorth> measure_worth(Network& network, std::uint32_t candidate, const Pairs& pairs) {
  NetworkWorth worth{.network = candidate};
  for (const std::uint32_t frames : {kShortTrain, kLongTrain}) {
    if (frames == kLongTrain && worth.rate_bit_s < kLongTrainAboveBitS) break;
    const auto performed = network.perform(worth_round(candidate, pairs, frames));
    if (!performed.ok()) return performed.error();
    std::vector<double> rates;
    for (const StreamResult& train : performed.value().streams) {
      const double rate = rate_of_train(train.arrivals, kFullFrameBytes);
      if (rate > 0) rates.push_back(rate);
    }
    std::vector<std::int64_t> round_trips;
    for (const ExchangeResult& exchange : performed.value().exchanges) {
      if (!exchange.round_trips_ns.empty()) {
        round_trips.push_back(std::ranges::min(exchange.round_trips_ns));
      }
    }
    worth.rate_bit_s = median(rates);
    worth.round_trip_ns = median(round_trips);
  }
  return worth;
}

}  // namespace

double rate_of_train(std::vector<Arrival> arrivals, std::uint32_t frame_bytes) {
  // An emulated link lets the first two frames pass at once.
  std::erase_if(arrivals, [](const Arrival& arrival) { return arrival.index < 2; });
  std::vector<double> slopes;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    for (std::size_t k = i + 1; k < arrivals.size(); ++k) {
      const auto frames = static_cast<double>(arrivals[k].index) - arrivals[i].index;
      if (frames == 0) continue;
      slopes.push_back(static_cast<double>(arrivals[k].at_ns - arrivals[i].at_ns) / frames);
    }
  }
  const double frame_ns = median(slopes);
  return slopes.size() < 3 || frame_ns <= 0 ? 0 : frame_bytes * 8e9 / frame_ns;
}

std::size_t best_worth(const std::vector<NetworkWorth>& worths) {
  double highest = 0;
  for (const NetworkWorth& worth : worths) highest = std::max(highest, worth.rate_bit_s);
  const auto fast = [&](const NetworkWorth& worth) {
    return worth.rate_bit_s * kMeasurablyFaster >= highest;
  };
  const auto trip = [](const NetworkWorth& worth) {
    return worth.round_trip_ns > 0 ? static_cast<double>(worth.round_trip_ns) : INFINITY;
  };
  double nearest = INFINITY;
  for (const NetworkWorth& worth : worths) {
    if (fast(worth)) nearest = std::min(nearest, trip(worth));
  }
  const auto best = std::ranges::find_if(worths, [&](const NetworkWorth& worth) {
    return fast(worth) && trip(worth) <= nearest * kMeasurablyNearer;
  });
  return static_cast<std::size_t>(best - worths.begin());
}

Result<std::vector<NetworkWorth>> measure_worths(Network& network,
                                                 const std::vector<std::uint32_t>& networks,
                                                 const std::vector<HostIndex>& hosts,
                                                 std::mt19937_64& chance) {
  const Pairs pairs = pairs_to_compare(hosts, network.hosts(), chance);
  std::vector<NetworkWorth> worths;
  for (const std::uint32_t candidate : networks) {
    auto worth = measure_worth(network, candidate, pairs);
    if (!worth.ok()) return worth.error();
    worths.push_back(worth.value());
  }
  return worths;
}

}  // namespace quadrille::probe
