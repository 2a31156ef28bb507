// SPDX-License-Identifier: BSD-3-Clause
// Hosts take turns with a few light datagrams; then one host of each group sends at falling rates.
#include "probe/reach/multicast_reach.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kLightDatagrams = 3;
// Three light frames at 10 Mbit/s take 0.24 ms; a turn is longer, as hosts do not begin exactly.
constexpr std::int64_t kTurnNs = 500'000;
constexpr std::int64_t kMulticastSettleNs = 25 * kMillisecond;
constexpr std::int64_t kQuickMulticastSettleNs = 15 * kMillisecond;
constexpr std::int64_t kSecondSettleNs = 120 * kMillisecond;

// Of what is free. From the highest, as that is the last where all is well.
constexpr std::array kRateShares{0.90, 0.50, 0.25};
constexpr std::uint32_t kFewestFrames = 16;
constexpr std::uint32_t kMostMulticastFrames = 400;
constexpr std::int64_t kTrialNs = 250 * kMillisecond;  // all groups, one rate
constexpr std::int64_t kLongestTurnNs = 30 * kMillisecond;
constexpr std::int64_t kQuickTurnNs = 10 * kMillisecond;
constexpr double kTolerableLoss = 0.02;
constexpr int kTries = 3;
constexpr int kQuickTries = 2;

// In whatever order a network names them.
bool was_held_up(const std::vector<HostIndex>& unpunctual, HostIndex host) {
  return std::ranges::find(unpunctual, host) != unpunctual.end();
}

// `senders` take turns; every way that something arrived on is marked, the others of these senders
// count as tried. Ways from and to hosts that were held up stay as they were.
std::optional<Error> take_turns(Setting& setting, const std::vector<HostIndex>& senders,
                                std::int64_t settle_ns, PairTable<Heard>& heard) {
  Round round;
  round.purpose = "who hears multicast";
  round.network = setting.network_index;
  for (const HostIndex sender : senders) {
    MulticastStream stream{.from = sender, .at_ns = 0, .count = kLightDatagrams};
    stream.at_ns = static_cast<std::int64_t>(round.multicasts.size()) * kTurnNs;
    stream.gap_ns = kTurnNs / 5;
    round.multicasts.push_back(stream);
  }
  round.duration_ns = static_cast<std::int64_t>(senders.size()) * kTurnNs + settle_ns;
  const auto performed = setting.network.perform(round);
  if (!performed.ok()) return performed.error();
  const auto& unpunctual = performed.value().unpunctual;
  for (std::size_t i = 0; i < senders.size(); ++i) {
    for (const HostIndex to : setting.hosts) {
      Heard& way = heard.at(senders[i], to);
      if (to == senders[i] || way == Heard::yes) continue;
      if (performed.value().multicasts[i].received.at(to) > 0) {
        way = Heard::yes;
      } else if (!was_held_up(unpunctual, to) && !was_held_up(unpunctual, senders[i])) {
        way = Heard::no;
      }
    }
  }
  return std::nullopt;
}

// Hosts of `hosts` with a way to another of them that is not known to work.
std::vector<HostIndex> not_heard_by_all(const PairTable<Heard>& heard,
                                        const std::vector<HostIndex>& hosts) {
  std::vector<HostIndex> senders;
  std::ranges::copy_if(hosts, std::back_inserter(senders), [&](HostIndex from) {
    return std::ranges::any_of(
        hosts, [&](HostIndex to) { return to != from && heard.at(from, to) != Heard::yes; });
  });
  return senders;
}

// Tries all `hosts`, and once more, more patiently, those that not all heard.
std::optional<Error> listen(Setting& setting, const std::vector<HostIndex>& hosts,
                            PairTable<Heard>& heard) {
  const bool quick = setting.depth == Depth::quick;
  if (auto error =
          take_turns(setting, hosts, quick ? kQuickMulticastSettleNs : kMulticastSettleNs, heard))
    return error;
  const auto again = not_heard_by_all(heard, hosts);
  if (again.empty()) return std::nullopt;
  return take_turns(setting, again, quick ? kMulticastSettleNs : kSecondSettleNs, heard);
}

// Whether all of `from` are heard by all of `to`; nothing where no way was tried.
std::optional<bool> all_heard(const PairTable<Heard>& heard, const HostSet& from,
                              const HostSet& to) {
  std::optional<bool> works;
  for (const HostIndex sender : from) {
    for (const HostIndex receiver : to) {
      if (sender == receiver || heard.at(sender, receiver) == Heard::not_tried) continue;
      works = works.value_or(true) && heard.at(sender, receiver) == Heard::yes;
    }
  }
  return works;
}

std::vector<OneWay> silent_ways(const PairTable<Heard>& heard, const HostSet& group) {
  std::vector<OneWay> silent;
  for (const HostIndex from : group) {
    for (const HostIndex to : group) {
      if (from != to && heard.at(from, to) == Heard::no) silent.push_back({from, to});
    }
  }
  return silent;
}

// One group's trials: who sends, what its slowest way is free to carry, what was found.
struct RateTrial {
  std::size_t group;
  HostIndex sender;
  double free_bit_s;
  double too_fast_bit_s = std::numeric_limits<double>::infinity();  // the lowest that lost
  bool over = false;
};

// What the slowest of the receivers' cables and the sender's own have free; 0: not all are known.
double free_rate(const HostSet& group, HostIndex sender, const std::vector<HostRates>& rates) {
  double least = rates.at(sender).free_out_bit_s();
  for (const HostIndex host : group) {
    if (host != sender) least = std::min(least, rates.at(host).free_in_bit_s());
  }
  return least;
}

std::vector<RateTrial> trials_for(const std::vector<HostSet>& groups, const MulticastReach& reach,
                                  const std::vector<HostRates>& rates) {
  std::vector<RateTrial> trials;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!reach.groups[i].works.value_or(false)) continue;
    // A host that is slow to send must not hide what the others can hear.
    const HostIndex sender = *std::ranges::max_element(
        groups[i], {}, [&](HostIndex host) { return rates.at(host).free_out_bit_s(); });
    const double free_bit_s = free_rate(groups[i], sender, rates);
    if (free_bit_s > 0) trials.push_back({i, sender, free_bit_s});
  }
  // What a fast group sends may fill the queues of slow ones.
  std::ranges::stable_sort(trials, {}, &RateTrial::free_bit_s);
  return trials;
}

// The groups' senders one after the other, as one group's multicast may flood the others.
Round rate_round(const Setting& setting, const std::vector<RateTrial>& trials, double share) {
  Round round;
  round.purpose = "multicast rate";
  round.network = setting.network_index;
  const auto quick = setting.depth == Depth::quick;
  const std::int64_t turn_ns =
      std::min(quick ? kQuickTurnNs : kLongestTurnNs,
               kTrialNs / static_cast<std::int64_t>(std::max<std::size_t>(1, trials.size())));
  std::int64_t at_ns = 0;
  for (const RateTrial& trial : trials) {
    MulticastStream stream{.from = trial.sender, .at_ns = at_ns};
    stream.frame_bytes = kFullFrameBytes;
    stream.gap_ns = static_cast<std::int64_t>(kFullFrameBytes * 8e9 / (share * trial.free_bit_s));
    stream.count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        turn_ns / std::max<std::int64_t>(1, stream.gap_ns), kFewestFrames, kMostMulticastFrames));
    round.multicasts.push_back(stream);
    at_ns += stream.count * stream.gap_ns + 2 * kMillisecond;
  }
  round.duration_ns = at_ns + kMulticastSettleNs;
  return round;
}

// Of `sent` datagrams to each of `receivers`, the share that was lost, all together.
Measured loss_of(std::uint32_t sent, const HostSet& group, HostIndex sender,
                 const MulticastResult& result) {
  double expected = 0;
  double lost = 0;
  for (const HostIndex host : group) {
    if (host == sender) continue;
    expected += sent;
    lost += sent - std::min(sent, result.received.at(host));
  }
  // With n tries and k lost: none lost says less than 3/n with 95 %; else two standard deviations.
  const double value = lost / expected;
  const double spread = 2 * std::sqrt(value * (1 - value) / expected);
  return {value, std::max(0.0, value - spread), std::min(1.0, value + spread + 3 / expected)};
}

void note_trial(RateTrial& trial, double share, const Measured& loss, GroupMulticast& group) {
  const double rate_bit_s = share * trial.free_bit_s;
  group.loss = loss;
  if (loss.value > kTolerableLoss) {
    trial.too_fast_bit_s = rate_bit_s;
    return;
  }
  group.rate_bit_s = Measured{rate_bit_s, rate_bit_s, trial.too_fast_bit_s};
  trial.over = true;
}

// Where something was lost, the best of several tries at a rate counts: other traffic may be in the
// way of one.
std::optional<Error> try_rate(Setting& setting, const std::vector<HostSet>& groups, double share,
                              std::vector<RateTrial>& trials, MulticastReach& reach) {
  std::vector<std::optional<Measured>> loss(trials.size());
  const int tries = setting.depth == Depth::quick ? kQuickTries : kTries;
  for (int attempt = 0; attempt < tries; ++attempt) {
    const Round round = rate_round(setting, trials, share);
    const auto performed = setting.network.perform(round);
    if (!performed.ok()) return performed.error();
    bool whole = true;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const auto now = loss_of(round.multicasts[i].count, groups[trials[i].group], trials[i].sender,
                               performed.value().multicasts[i]);
      if (!loss[i] || now.value < loss[i]->value) loss[i] = now;
      whole = whole && loss[i]->value == 0;
    }
    if (whole) break;
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    note_trial(trials[i], share, *loss[i], reach.groups[trials[i].group]);
  }
  return std::nullopt;
}

}  // namespace

MulticastReach judge_multicast(const PairTable<Heard>& heard, const std::vector<HostSet>& groups) {
  MulticastReach reach;
  reach.heard = heard;
  for (const HostSet& from : groups) {
    GroupMulticast group;
    group.works = all_heard(heard, from, from);
    group.not_heard = silent_ways(heard, from);
    reach.groups.push_back(std::move(group));
    reach.between.emplace_back();
    for (const HostSet& to : groups) reach.between.back().push_back(all_heard(heard, from, to));
  }
  return reach;
}

Result<MulticastReach> measure_multicast_reach(Setting& setting, const std::vector<HostSet>& groups,
                                               const std::vector<HostRates>& rates) {
  PairTable<Heard> heard(setting.network.hosts().size(), Heard::not_tried);
  if (auto error = listen(setting, setting.hosts, heard)) return *error;
  MulticastReach reach = judge_multicast(heard, groups);
  reach.tried_at_ns = setting.network.elapsed_ns();
  auto trials = trials_for(groups, reach, rates);
  for (const double share : kRateShares) {
    // At program start there is time for one.
    if (setting.depth == Depth::quick && share != kRateShares.front()) break;
    std::erase_if(trials, [](const RateTrial& trial) { return trial.over; });
    if (trials.empty()) break;
    if (auto error = try_rate(setting, groups, share, trials, reach)) return *error;
  }
  return reach;
}

Result<MulticastAgain> multicast_keeps_working(Setting& setting, const std::vector<HostSet>& groups,
                                               const MulticastReach& earlier) {
  PairTable<Heard> heard(setting.network.hosts().size(), Heard::not_tried);
  std::vector<HostIndex> hosts;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!earlier.groups[i].works.value_or(false)) continue;
    hosts.insert(hosts.end(), groups[i].begin(), groups[i].end());
  }
  MulticastAgain again;
  again.works.resize(groups.size());
  if (!hosts.empty()) {
    if (auto error = listen(setting, hosts, heard)) return *error;
  }
  again.age_ns = setting.network.elapsed_ns() - earlier.tried_at_ns;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!earlier.groups[i].works.value_or(false)) continue;
    again.works[i] = all_heard(heard, groups[i], groups[i]);
    const auto lost = silent_ways(heard, groups[i]);
    again.lost.insert(again.lost.end(), lost.begin(), lost.end());
  }
  return again;
}

}  // namespace quadrille::probe
