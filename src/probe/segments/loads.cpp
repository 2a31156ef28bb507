// SPDX-License-Identifier: BSD-3-Clause
#include "probe/segments/loads.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

namespace quadrille::probe {
namespace {

// A flow that is thinner than this share of its sender's cable is not worth a stream of its own.
constexpr double kThinnest = 0.02;
constexpr std::size_t kMostReceivers = 8;  // of one sender
// With all pairs up to this many hosts; beyond, ways to and from this many landmarks.
constexpr std::size_t kAllPairsHosts = 24;
constexpr std::size_t kLandmarks = 12;

// A key that compares numbers by value: "n10" becomes "n", length 2, "10".
std::string natural_key(const std::string& name) {
  std::string key;
  for (auto at = name.begin(); at != name.end();) {
    if (*at < '0' || *at > '9') {
      key += *at++;
      continue;
    }
    const auto end =
        std::find_if(at, name.end(), [](char letter) { return letter < '0' || letter > '9'; });
    key += static_cast<char>('0' + std::min<std::ptrdiff_t>(end - at, 40));
    key.append(at, end);
    at = end;
  }
  return key;
}

HostSet some_of(Setting& setting, std::size_t count) {
  HostSet chosen;
  std::sample(setting.hosts.begin(), setting.hosts.end(), std::back_inserter(chosen), count,
              setting.chance);
  return chosen;
}

}  // namespace

HostSet choose_landmarks(Setting& setting) {
  if (setting.hosts.size() <= kAllPairsHosts) return {};
  return some_of(setting, kLandmarks);
}

HostSet few_landmarks(Setting& setting) { return some_of(setting, kFewLandmarks); }

HostSet ordered_by_name(const Setting& setting) {
  HostSet order = setting.hosts;
  std::vector<std::string> keys;
  for (const auto& host : setting.network.hosts()) keys.push_back(natural_key(host.name));
  std::stable_sort(order.begin(), order.end(),
                   [&](HostIndex one, HostIndex other) { return keys[one] < keys[other]; });
  return order;
}

std::vector<Flow> shifted_flows(const HostSet& order, std::size_t shift,
                                const std::vector<HostRates>& rates, double share) {
  std::vector<Flow> flows;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const HostIndex from = order[at];
    const HostIndex to = order[(at + shift) % order.size()];
    flows.push_back(
        {from, to, share * std::min(rates[from].free_out_bit_s(), rates[to].free_in_bit_s())});
  }
  return flows;
}

std::vector<Flow> spread_flows(const HostSet& hosts, const std::vector<HostRates>& rates,
                               double share) {
  const double part = share / static_cast<double>(hosts.size() - 1);
  std::vector<Flow> flows;
  for (std::size_t shift = 1; shift < hosts.size(); ++shift) {
    const auto shifted = shifted_flows(hosts, shift, rates, part);
    flows.insert(flows.end(), shifted.begin(), shifted.end());
  }
  return flows;
}

std::vector<Flow> crossing_flows(const HostSet& senders, const std::vector<HostRates>& out,
                                 const HostSet& receivers, const std::vector<HostRates>& in,
                                 double most_bit_s, std::size_t ways) {
  std::vector<Flow> flows;
  if (receivers.empty()) return flows;
  std::vector<double> room(receivers.size());
  std::transform(receivers.begin(), receivers.end(), room.begin(),
                 [&](HostIndex host) { return kCableShare * in[host].free_in_bit_s(); });
  const double wanted = kCableShare * sum_free_out(senders, out);
  const double scale = wanted > most_bit_s ? most_bit_s / wanted : 1;
  const auto parts = static_cast<double>(std::min(receivers.size(), ways));
  std::size_t next = 0;
  for (const HostIndex from : senders) {
    const double whole = scale * kCableShare * out[from].free_out_bit_s();
    double left = whole;
    for (std::size_t tried = 0;
         tried < std::min(receivers.size(), kMostReceivers) && left > kThinnest * whole; ++tried) {
      const std::size_t at = next++ % receivers.size();
      const double rate = std::min({left, room[at], whole / parts});
      if (rate <= kThinnest * whole) continue;
      flows.push_back({from, receivers[at], rate});
      room[at] -= rate;
      left -= rate;
    }
  }
  return flows;
}

double sum_free_out(const HostSet& hosts, const std::vector<HostRates>& rates) {
  return std::accumulate(hosts.begin(), hosts.end(), 0.0, [&](double sum, HostIndex host) {
    return sum + rates[host].free_out_bit_s();
  });
}

double sum_free_in(const HostSet& hosts, const std::vector<HostRates>& rates) {
  return std::accumulate(hosts.begin(), hosts.end(), 0.0, [&](double sum, HostIndex host) {
    return sum + rates[host].free_in_bit_s();
  });
}

}  // namespace quadrille::probe
