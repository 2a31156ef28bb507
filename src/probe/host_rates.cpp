// SPDX-License-Identifier: BSD-3-Clause
#include "probe/host_rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "probe/host_evidence.h"
#include "probe/volley.h"

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kScoutFrames = 10;
constexpr double kSlowestBit_s = 0.5e6;  // a host slower than that is taken to be unreachable
// A train should last this long, so that time stamps late by some tens of microseconds, and others'
// frames, average out; within bounds.
constexpr double kTrainS = 0.024;
constexpr double kLeastFrames = 14;
constexpr double kUsualFrames = 28;
constexpr double kMostFrames = 400;
// Offered this much more than what came: something was the limit.
constexpr double kOverload = 1.15;

class RateSearch {
 public:
  explicit RateSearch(Setting& setting)
      : setting_(setting),
        out_(setting.network.hosts().size()),
        in_(setting.network.hosts().size()) {}

  Result<std::vector<HostRates>> run() {
    using Step = MaybeError (RateSearch::*)();
    constexpr std::array<Step, 8> kFull = {
        &RateSearch::scout,         &RateSearch::scout_the_slow,     &RateSearch::outwards_first,
        &RateSearch::check_alone,   &RateSearch::outwards_again,     &RateSearch::inwards,
        &RateSearch::inwards_again, &RateSearch::outwards_to_several};
    constexpr std::array<Step, 2> kQuick = {&RateSearch::scout, &RateSearch::outwards_first};
    const bool quick = setting_.depth == Depth::quick;
    const auto perform = [&](const auto& steps) -> MaybeError {
      for (const Step step : steps)
        if (auto error = (this->*step)()) return error;
      return std::nullopt;
    };
    if (auto error = quick ? perform(kQuick) : perform(kFull)) return *error;
    return rates();
  }

 private:
  using MaybeError = std::optional<Error>;
  using Pairs = std::vector<std::pair<HostIndex, HostIndex>>;

  MaybeError scout();
  MaybeError scout_the_slow();
  MaybeError outwards_first();
  MaybeError check_alone();
  MaybeError outwards_again();
  MaybeError outwards_to_several();
  MaybeError inwards();
  MaybeError inwards_again();
  MaybeError receive(std::vector<HostIndex> waiting);

  MaybeError send(const std::string& purpose, const std::vector<Volley>& volleys, Order order);
  MaybeError send_pairs(const std::string& purpose, const Pairs& pairs, Order order);
  void keep_outwards(const Volley& volley, const VolleyResult& result);
  void keep_inwards(const Volley& volley, const VolleyResult& result);
  Pairs cycle();
  Pairs fast_with_fast();
  Volley fan_in(HostIndex to, const std::vector<HostIndex>& candidates) const;
  double pair_bit_s(HostIndex from, HostIndex to) const;
  std::uint32_t frames_at(double bit_s) const;
  std::vector<HostRates> rates() const;
  std::int64_t stated_bit_s(HostIndex host) const;

  Setting& setting_;
  std::vector<Evidence> out_;
  std::vector<Evidence> in_;
  Pairs first_;  // of outwards_first, with the rates they had
  std::vector<double> first_bit_s_;
  Order order_ = Order::together;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

RateSearch::Pairs RateSearch::cycle() {
  std::vector<HostIndex> order = setting_.hosts;
  std::shuffle(order.begin(), order.end(), setting_.chance);
  Pairs pairs;
  for (std::size_t at = 0; at < order.size(); ++at)
    pairs.emplace_back(order[at], order[(at + 1) % order.size()]);
  return pairs;
}

// Everybody with a partner about as fast: sorted by rate, in random order where rates are alike,
// and half a class further on so that partners differ from one time to the next.
RateSearch::Pairs RateSearch::fast_with_fast() {
  std::vector<HostIndex> senders = setting_.hosts;
  std::shuffle(senders.begin(), senders.end(), setting_.chance);
  std::vector<HostIndex> receivers = senders;
  const auto sort_by = [](std::vector<HostIndex>& hosts, const std::vector<Evidence>& evidence) {
    // Classes of a factor of two: within them chance decides.
    const auto rank = [&](HostIndex host) {
      return std::lround(std::log2(std::max(1.0, evidence[host].best_bit_s())));
    };
    std::stable_sort(hosts.begin(), hosts.end(),
                     [&](HostIndex one, HostIndex other) { return rank(one) > rank(other); });
  };
  sort_by(senders, out_);
  std::shuffle(receivers.begin(), receivers.end(), setting_.chance);
  sort_by(receivers, in_);
  Pairs pairs;
  for (std::size_t at = 0; at < senders.size(); ++at) {
    // Nobody sends to itself: take the next one's receiver.
    if (senders[at] == receivers[at])
      std::swap(receivers[at], receivers[at + 1 < receivers.size() ? at + 1 : at - 1]);
    pairs.emplace_back(senders[at], receivers[at]);
  }
  std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second; });
  return pairs;
}

// What a train between both may bring at least, as far as is known.
double RateSearch::pair_bit_s(HostIndex from, HostIndex to) const {
  const double out = out_[from].best_bit_s();
  const double in = in_[to].best_bit_s();
  return std::max(kSlowestBit_s, std::min(out > 0 ? out : in, in > 0 ? in : out));
}

// How long a train is worth it: one by one, the whole phase is bounded.
std::uint32_t RateSearch::frames_at(double bit_s) const {
  const bool quick = setting_.depth == Depth::quick;
  const auto hosts = static_cast<double>(setting_.hosts.size());
  double seconds = quick ? kTrainS / 2 : kTrainS;
  double least = quick ? kLeastFrames : kUsualFrames;
  if (order_ == Order::one_by_one) {
    // A fifth of what a phase may last at most: 60 ms a host, 5 s in all.
    seconds = std::min({seconds, 0.012, 1.0 / hosts});
    least = kLeastFrames;
  }
  return static_cast<std::uint32_t>(
      std::clamp(seconds * bit_s / full_frame_bits(1), least, kMostFrames));
}

RateSearch::MaybeError RateSearch::send(const std::string& purpose,
                                        const std::vector<Volley>& volleys, Order order) {
  auto fired = fire(setting_, purpose, volleys, order);
  if (!fired) return fired.error();
  for (std::size_t at = 0; at < volleys.size(); ++at) {
    const VolleyResult& result = fired.value()[at];
    if (!result.sound || result.arriving_bit_s <= 0) continue;
    if (volleys[at].from.size() == 1) keep_outwards(volleys[at], result);
    if (volleys[at].to.size() == 1) keep_inwards(volleys[at], result);
  }
  return std::nullopt;
}

RateSearch::MaybeError RateSearch::send_pairs(const std::string& purpose, const Pairs& pairs,
                                              Order order) {
  std::vector<Volley> volleys;
  for (const auto& [from, to] : pairs) {
    const double expected = pair_bit_s(from, to);
    volleys.push_back({{from}, {to}, frames_at(expected), expected});
  }
  return send(purpose, volleys, order);
}

void RateSearch::keep_outwards(const Volley& volley, const VolleyResult& result) {
  Sighting sighting;
  sighting.mean_bit_s = result.arriving_bit_s;
  sighting.offered_bit_s = result.taken_bit_s;
  sighting.narrowest = result.taken_bit_s < kOverload * result.arriving_bit_s;
  if (volley.to.size() == 1 || !sighting.narrowest) sighting.trains.push_back(result.arrivals);
  if (sighting.narrowest) {
    sighting.trains.push_back(result.sends);
  } else if (volley.to.size() > 1) {
    // Several receivers that together take more than came: what is before them was the limit.
    double takes = 0;
    for (const HostIndex to : volley.to) takes += in_[to].best_bit_s();
    sighting.narrowest = takes > kOverload * result.arriving_bit_s;
  }
  out_[volley.from.front()].sightings.push_back(std::move(sighting));
}

void RateSearch::keep_inwards(const Volley& volley, const VolleyResult& result) {
  Sighting sighting;
  sighting.trains.push_back(result.arrivals);
  sighting.mean_bit_s = result.arriving_bit_s;
  for (const HostIndex from : volley.from) sighting.offered_bit_s += out_[from].usual_bit_s();
  const bool overloaded = sighting.offered_bit_s > kOverload * result.arriving_bit_s;
  sighting.narrowest = volley.from.size() > 1 && overloaded;
  in_[volley.to.front()].sightings.push_back(std::move(sighting));
}

RateSearch::MaybeError RateSearch::scout() {
  std::vector<Volley> volleys;
  const double expected = setting_.depth == Depth::quick ? 8e6 : 4e6;
  for (const auto& [from, to] : cycle()) volleys.push_back({{from}, {to}, kScoutFrames, expected});
  return send("a first look at rates", volleys, Order::together);
}

// Whoever's frames did not come in that time: a slow host, or a bus that all had to share.
RateSearch::MaybeError RateSearch::scout_the_slow() {
  std::vector<Volley> volleys;
  for (const auto& [from, to] : cycle())
    if (out_[from].sightings.empty() || in_[to].sightings.empty())
      volleys.push_back({{from}, {to}, kScoutFrames, 2e6});
  return send("hosts that were slow at first", volleys, Order::one_by_one);
}

RateSearch::MaybeError RateSearch::outwards_first() {
  first_ = cycle();
  const std::vector<Evidence> before = out_;
  if (auto error = send_pairs("trains outwards", first_, order_)) return error;
  for (const auto& [from, to] : first_) {
    const bool came = out_[from].sightings.size() > before[from].sightings.size();
    first_bit_s_.push_back(came ? out_[from].sightings.back().mean_bit_s : 0);
  }
  return std::nullopt;
}

// Do trains at once hinder one another? Those that fell furthest behind what their sender's
// interface took would be the ones, and some by chance.
RateSearch::MaybeError RateSearch::check_alone() {
  std::vector<std::size_t> by_lag(first_.size());
  std::iota(by_lag.begin(), by_lag.end(), 0);
  const auto gained = [&](std::size_t at) {
    double offered = 0;
    for (const Sighting& sighting : out_[first_[at].first].sightings)
      offered = std::max(offered, sighting.offered_bit_s);
    return first_bit_s_[at] / std::max(1.0, offered);
  };
  std::sort(by_lag.begin(), by_lag.end(),
            [&](std::size_t one, std::size_t other) { return gained(one) < gained(other); });
  by_lag.resize(std::min<std::size_t>(by_lag.size(), 6));
  Pairs alone;
  for (const std::size_t at : by_lag) alone.push_back(first_[at]);
  std::vector<Evidence> before = out_;
  if (auto error = send_pairs("the same trains alone", alone, Order::one_by_one)) return error;
  std::vector<double> ratios;
  for (const std::size_t at : by_lag) {
    const Evidence& evidence = out_[first_[at].first];
    if (evidence.sightings.size() == before[first_[at].first].sightings.size()) continue;
    ratios.push_back(evidence.sightings.back().mean_bit_s / std::max(1.0, first_bit_s_[at]));
  }
  const bool harmless = !ratios.empty() && median(ratios) < 1.12 &&
                        *std::max_element(ratios.begin(), ratios.end()) < 1.4;
  order_ = harmless ? Order::together : Order::one_by_one;
  return std::nullopt;
}

RateSearch::MaybeError RateSearch::outwards_again() {
  return send_pairs("trains outwards to other hosts", fast_with_fast(), order_);
}

// Hosts that no single partner could take all from send to several.
RateSearch::MaybeError RateSearch::outwards_to_several() {
  for (const std::size_t partners : {2, 4}) {
    std::vector<Volley> volleys;
    for (const HostIndex from : setting_.hosts) {
      if (out_[from].is_limit() || out_[from].sightings.empty()) continue;
      std::vector<HostIndex> to = setting_.hosts;
      std::erase(to, from);
      std::shuffle(to.begin(), to.end(), setting_.chance);
      std::stable_sort(to.begin(), to.end(), [&](HostIndex one, HostIndex other) {
        return in_[one].best_bit_s() > 1.15 * in_[other].best_bit_s();
      });
      to.resize(std::min(to.size(), partners));
      double expected = 0;
      for (const HostIndex one : to) expected += in_[one].best_bit_s();
      expected = std::max(kSlowestBit_s, std::min(expected, out_[from].best_bit_s()));
      const auto frames = frames_at(expected) / static_cast<std::uint32_t>(to.size());
      volleys.push_back({{from}, to, std::max(14U, frames), expected});
    }
    if (auto error = send("trains to several hosts at once", volleys, Order::one_by_one))
      return error;
  }
  return std::nullopt;
}

// As few of `candidates`, in their order, as together send clearly more than `to` took so far.
Volley RateSearch::fan_in(HostIndex to, const std::vector<HostIndex>& candidates) const {
  Volley volley{{}, {to}, 0, std::max(kSlowestBit_s, in_[to].best_bit_s())};
  double offered = 0;
  constexpr std::size_t kMost = 6;
  for (const HostIndex from : candidates) {
    if (from == to || volley.from.size() == kMost) continue;
    if (volley.from.size() >= 2 && offered > 1.5 * volley.expected_bit_s) break;
    volley.from.push_back(from);
    offered += out_[from].usual_bit_s();
  }
  // What they offer is what may come; a rate that grows is followed.
  const double length = frames_at(std::min(offered, 1.5 * volley.expected_bit_s));
  volley.frames = static_cast<std::uint32_t>(
      std::ceil(length / static_cast<double>(std::max<std::size_t>(1, volley.from.size()))));
  volley.frames = std::max(volley.frames, 8U);
  return volley;
}

RateSearch::MaybeError RateSearch::inwards() { return receive(setting_.hosts); }

// From others, those that were not overloaded, or seem slow: their senders may have been.
RateSearch::MaybeError RateSearch::inwards_again() {
  if (order_ == Order::together) return receive(setting_.hosts);
  double most = 0;
  for (const HostIndex host : setting_.hosts) most = std::max(most, in_[host].usual_bit_s());
  std::vector<HostIndex> doubtful = setting_.hosts;
  std::erase_if(doubtful, [&](HostIndex host) {
    return in_[host].is_limit() && in_[host].usual_bit_s() > 0.7 * most;
  });
  return receive(std::move(doubtful));
}

// Several send to each. Together: in as many rounds as it takes for everybody to receive once while
// nobody takes part in two volleys at once.
RateSearch::MaybeError RateSearch::receive(std::vector<HostIndex> waiting) {
  std::shuffle(waiting.begin(), waiting.end(), setting_.chance);
  while (!waiting.empty()) {
    std::vector<HostIndex> candidates = setting_.hosts;
    std::shuffle(candidates.begin(), candidates.end(), setting_.chance);
    std::vector<Volley> volleys;
    std::vector<HostIndex> later;
    for (const HostIndex to : waiting) {
      const bool taken =
          order_ == Order::together && !std::count(candidates.begin(), candidates.end(), to);
      Volley volley = fan_in(to, candidates);
      if (taken || volley.from.size() < std::min<std::size_t>(2, setting_.hosts.size() - 1)) {
        later.push_back(to);
        continue;
      }
      if (order_ == Order::together) {
        std::erase(candidates, to);
        std::erase_if(candidates, [&](HostIndex host) {
          return std::count(volley.from.begin(), volley.from.end(), host) > 0;
        });
      } else {
        std::shuffle(candidates.begin(), candidates.end(), setting_.chance);
      }
      volleys.push_back(std::move(volley));
    }
    if (auto error = send("trains inwards", volleys, order_)) return error;
    if (later.size() == waiting.size()) break;
    waiting = std::move(later);
  }
  return std::nullopt;
}

std::int64_t RateSearch::stated_bit_s(HostIndex host) const {
  const auto& name = setting_.network.networks()[setting_.network_index].interface;
  if (host >= name.size()) return 0;
  const auto& interfaces = setting_.network.hosts()[host].interfaces;
  const auto found = std::find_if(interfaces.begin(), interfaces.end(), [&](const Interface& one) {
    return one.name == name[host] && one.physical;
  });
  return found == interfaces.end() ? 0 : found->speed_bit_s;
}

std::vector<HostRates> RateSearch::rates() const {
  std::vector<HostRates> found(out_.size());
  for (const HostIndex host : setting_.hosts) {
    const CableRate out = conclude(out_[host], Direction::out, stated_bit_s(host));
    const CableRate in = conclude(in_[host], Direction::in, stated_bit_s(host));
    found[host] = {out.bit_s, in.bit_s, out.ambient_share, in.ambient_share};
  }
  return found;
}

}  // namespace

Result<std::vector<HostRates>> measure_host_rates(Setting& setting) {
  if (setting.hosts.size() < 2)
    return Error{ErrorKind::invalid_argument,
                 "host rates: " + std::to_string(setting.hosts.size()) +
                     " host(s): nothing to measure between; start ranks on two hosts or more"};
  return RateSearch(setting).run();
}

}  // namespace quadrille::probe
