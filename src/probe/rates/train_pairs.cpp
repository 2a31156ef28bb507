// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/train_pairs.h"

#include <algorithm>
#include <cmath>

namespace quadrille::probe {

TrainPairs cycle_of(const HostSet& hosts, std::mt19937_64& chance) {
  std::vector<HostIndex> order = hosts;
  std::shuffle(order.begin(), order.end(), chance);
  TrainPairs pairs;
  for (std::size_t at = 0; at < order.size(); ++at)
    pairs.emplace_back(order[at], order[(at + 1) % order.size()]);
  return pairs;
}

TrainPairs fast_with_fast(const HostSet& hosts, const CableEvidence& cables,
                          std::mt19937_64& chance) {
  std::vector<HostIndex> senders = hosts;
  std::shuffle(senders.begin(), senders.end(), chance);
  std::vector<HostIndex> receivers = senders;
  const auto sort_by = [](std::vector<HostIndex>& order, const auto& evidence) {
    // Classes of a factor of two: within them chance decides.
    const auto rank = [&](HostIndex host) {
      return std::lround(std::log2(std::max(1.0, evidence(host).best_bit_s())));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](HostIndex one, HostIndex other) { return rank(one) > rank(other); });
  };
  sort_by(senders, [&](HostIndex host) -> const Evidence& { return cables.out(host); });
  std::shuffle(receivers.begin(), receivers.end(), chance);
  sort_by(receivers, [&](HostIndex host) -> const Evidence& { return cables.in(host); });
  TrainPairs pairs;
  for (std::size_t at = 0; at < senders.size(); ++at) {
    // Nobody sends to itself: take the next one's receiver.
    if (senders[at] == receivers[at])
      std::swap(receivers[at], receivers[at + 1 < receivers.size() ? at + 1 : at - 1]);
    pairs.emplace_back(senders[at], receivers[at]);
  }
  std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second; });
  return pairs;
}

}  // namespace quadrille::probe
