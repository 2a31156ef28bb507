// SPDX-License-Identifier: BSD-3-Clause
// Fans of light datagrams over all ways to try, and the graph of what arrived.
#include "probe/reach/network_reach.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <span>

namespace quadrille::probe {
namespace {

// Light datagrams of all hosts together: a slow shared bus carries this and does not overflow.
constexpr double kLightBitS = 10e6;
constexpr std::int64_t kLeastDurationNs = 20 * kMillisecond;
// For stragglers: at first of a network of one site, then of one across a continent.
constexpr std::array kReachSettleNs{25 * kMillisecond, 150 * kMillisecond, 400 * kMillisecond,
                                    900 * kMillisecond};
constexpr std::array kQuickReachSettleNs{12 * kMillisecond, 60 * kMillisecond};

std::vector<Fan> fans_over(const PairTable<Heard>& heard, Heard which, std::uint32_t passes) {
  std::vector<Fan> fans;
  const auto hosts = static_cast<HostIndex>(heard.hosts());
  for (HostIndex from = 0; from < hosts; ++from) {
    Fan fan{.from = from, .to = {}, .at_ns = 0, .duration_ns = 0, .passes = passes};
    // Begins with its successor, so that the datagrams of all do not arrive at one host at once.
    for (HostIndex step = 1; step < hosts; ++step) {
      const HostIndex to = (from + step) % hosts;
      if (heard.at(from, to) == which) fan.to.push_back(to);
    }
    if (!fan.to.empty()) fans.push_back(std::move(fan));
  }
  return fans;
}

Round reach_round(std::vector<Fan> fans, std::uint32_t candidate, std::int64_t settle_ns) {
  std::size_t datagrams = 0;
  for (const Fan& fan : fans) datagrams += fan.to.size() * fan.passes;
  const double bits = static_cast<double>(datagrams) * kLightFrameBytes * 8;
  const auto duration =
      std::max(kLeastDurationNs, static_cast<std::int64_t>(bits / kLightBitS * 1e9));
  for (Fan& fan : fans) fan.duration_ns = duration;
  Round round;
  round.purpose = "who reaches whom";
  round.network = candidate;
  round.duration_ns = duration + settle_ns;
  round.fans = std::move(fans);
  return round;
}

bool both_ways(const PairTable<Heard>& heard, HostIndex a, HostIndex b) {
  return heard.at(a, b) == Heard::yes && heard.at(b, a) == Heard::yes;
}

// The largest set of hosts connected by ways that work in both directions.
std::vector<HostIndex> largest_connected(const PairTable<Heard>& heard,
                                         const std::vector<HostIndex>& addressed) {
  std::vector<HostIndex> largest;
  std::set<HostIndex> waiting(addressed.begin(), addressed.end());
  while (!waiting.empty()) {
    std::vector<HostIndex> connected{*waiting.begin()};
    waiting.erase(waiting.begin());
    for (std::size_t i = 0; i < connected.size(); ++i) {
      const HostIndex known = connected[i];
      std::erase_if(waiting, [&](HostIndex other) {
        if (!both_ways(heard, known, other)) return false;
        connected.push_back(other);
        return true;
      });
    }
    if (connected.size() > largest.size()) largest = std::move(connected);
  }
  std::ranges::sort(largest);
  return largest;
}

struct Ways {
  std::size_t tried = 0;
  std::size_t missing = 0;
};

Ways ways_of(const PairTable<Heard>& heard, HostIndex host, const std::vector<HostIndex>& hosts) {
  Ways ways;
  for (const HostIndex other : hosts) {
    if (other == host || heard.at(host, other) == Heard::not_tried) continue;
    ++ways.tried;
    if (!both_ways(heard, host, other)) ++ways.missing;
  }
  return ways;
}

// Takes out, one after the other, the host that misses most, while it misses more than half.
void drop_badly_connected(const PairTable<Heard>& heard, std::vector<HostIndex>& hosts) {
  while (hosts.size() > 2) {
    auto worst = hosts.end();
    std::size_t most_missing = 0;
    for (auto host = hosts.begin(); host != hosts.end(); ++host) {
      const Ways ways = ways_of(heard, *host, hosts);
      if (2 * ways.missing > ways.tried && ways.missing >= most_missing) {
        worst = host;
        most_missing = ways.missing;
      }
    }
    if (worst == hosts.end()) return;
    hosts.erase(worst);
  }
}

std::string reason_for(const PairTable<Heard>& heard, HostIndex host,
                       const std::vector<HostIndex>& addressed) {
  const auto any = [&](auto&& way) {
    return std::ranges::any_of(
        addressed, [&](HostIndex other) { return other != host && way(other) == Heard::yes; });
  };
  const bool is_heard = any([&](HostIndex other) { return heard.at(host, other); });
  const bool hears = any([&](HostIndex other) { return heard.at(other, host); });
  if (!is_heard && !hears) return "it hears nobody and nobody hears it";
  if (!is_heard) return "nobody hears it, though it hears others";
  if (!hears) return "it hears nobody, though others hear it";
  return "it reaches only a few of the hosts";
}

bool anyone_heard(const PairTable<Heard>& heard) {
  for (HostIndex from = 0; from < heard.hosts(); ++from) {
    for (HostIndex to = 0; to < heard.hosts(); ++to) {
      if (heard.at(from, to) == Heard::yes) return true;
    }
  }
  return false;
}

}  // namespace

PairTable<Heard> ways_to_try(std::size_t all_hosts, std::vector<HostIndex> hosts,
                             std::mt19937_64& chance) {
  PairTable<Heard> ways(all_hosts, Heard::not_tried);
  std::vector<std::size_t> steps(hosts.empty() ? 0 : hosts.size() - 1);
  std::iota(steps.begin(), steps.end(), 1U);
  if (hosts.size() > kReachAllPairs) {
    // A ring in random order connects all; further steps around it are drawn. Each step gives a
    // host two partners.
    std::ranges::shuffle(hosts, chance);
    steps.resize(hosts.size() / 2 - 1);
    std::shuffle(steps.begin() + 1, steps.end(), chance);
    steps.resize(kReachPartners / 2);
  }
  for (const std::size_t step : steps) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const HostIndex other = hosts[(i + step) % hosts.size()];
      ways.at(hosts[i], other) = ways.at(other, hosts[i]) = Heard::no;
    }
  }
  return ways;
}

NetworkReach judge_reach(const PairTable<Heard>& heard, const std::vector<HostIndex>& addressed) {
  NetworkReach reach;
  reach.hosts = largest_connected(heard, addressed);
  drop_badly_connected(heard, reach.hosts);
  if (reach.hosts.size() < 2) reach.hosts.clear();
  for (const HostIndex host : addressed) {
    if (!contains(reach.hosts, host)) {
      reach.left_out.push_back({host, reason_for(heard, host, addressed)});
    }
  }
  for (const HostIndex from : reach.hosts) {
    for (const HostIndex to : reach.hosts) {
      if (heard.at(from, to) == Heard::no) reach.missing.push_back({from, to});
    }
  }
  return reach;
}

Result<NetworkReach> measure_reach(Network& network, std::uint32_t candidate, Depth depth,
                                   std::mt19937_64& chance) {
  const CandidateNetwork& on = network.networks().at(candidate);
  std::vector<HostIndex> addressed;
  for (HostIndex host = 0; host < on.address.size(); ++host) {
    if (!on.address[host].empty()) addressed.push_back(host);
  }
  auto heard = ways_to_try(network.hosts().size(), addressed, chance);
  const std::span<const std::int64_t> settle_ns =
      depth == Depth::quick ? std::span<const std::int64_t>(kQuickReachSettleNs) : kReachSettleNs;
  bool anything = true;
  for (std::size_t attempt = 0; attempt < settle_ns.size() && anything; ++attempt) {
    const std::uint32_t passes = attempt == 0 ? 1 : 3;
    const auto round =
        reach_round(fans_over(heard, Heard::no, passes), candidate, settle_ns[attempt]);
    if (round.fans.empty()) break;
    const auto performed = network.perform(round);
    if (!performed.ok()) return performed.error();
    for (std::size_t i = 0; i < round.fans.size(); ++i) {
      const Fan& fan = round.fans[i];
      for (std::size_t k = 0; k < fan.to.size(); ++k) {
        if (performed.value().fans[i][k].received > 0) heard.at(fan.from, fan.to[k]) = Heard::yes;
      }
    }
    // A network on which a second try reaches nobody either needs no third.
    anything = attempt == 0 || anyone_heard(heard);
  }
  return judge_reach(heard, addressed);
}

}  // namespace quadrille::probe
