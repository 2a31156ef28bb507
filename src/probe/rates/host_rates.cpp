// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/host_rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "probe/quantile.h"
#include "probe/rates/cable_evidence.h"
#include "probe/rates/train_pairs.h"
#include "probe/rates/volley.h"

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kScoutFrames = 10;
constexpr double kLikely_bit_s = 8e6;     // hosts of a cluster are hardly slower
constexpr double kSlowest_bit_s = 0.5e6;  // a host slower than that is taken to be unreachable
// A train should last this long, so that time stamps late by some tens of microseconds, and others'
// frames, average out; within bounds.
constexpr double kTrainS = 0.024;
constexpr double kLeastRateFrames = 14;
constexpr double kUsualFrames = 28;
constexpr double kQuietFrames = 20;  // where nobody else was seen to send
constexpr double kMostRateFrames = 400;

constexpr std::size_t kTurnsHosts = 32;
constexpr double kQuietShare = 0.08;  // of a cable; less is not told from nothing

class RateSearch {
 public:
  explicit RateSearch(Setting& setting)
      : setting_(setting), cables_(setting.network.hosts().size()) {}

  Result<std::vector<HostRates>> run() {
    using Step = MaybeError (RateSearch::*)();
    constexpr std::array<Step, 8> kFull = {
        &RateSearch::scout,         &RateSearch::scout_the_slow,     &RateSearch::outwards_first,
        &RateSearch::check_alone,   &RateSearch::outwards_again,     &RateSearch::inwards,
        &RateSearch::inwards_again, &RateSearch::outwards_to_several};
    constexpr std::array<Step, 3> kQuick = {&RateSearch::scout, &RateSearch::check_alone,
                                            &RateSearch::outwards_first};
    const bool quick = setting_.depth == Depth::quick;
    const auto perform = [&](const auto& steps) -> MaybeError {
      for (const Step step : steps)
        if (auto error = (this->*step)()) return error;
      return std::nullopt;
    };
    if (auto error = quick ? perform(kQuick) : perform(kFull)) return *error;
    return cables_.rates(setting_);
  }

 private:
  using MaybeError = std::optional<Error>;

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
  MaybeError send_pairs(const std::string& purpose, const TrainPairs& pairs, Order order,
                        double least_bit_s = 0);
  Volley fan_in(HostIndex to, std::vector<HostIndex> candidates) const;
  double pair_bit_s(HostIndex from, HostIndex to) const;
  std::uint32_t frames_at(double bit_s) const;

  Setting& setting_;
  CableEvidence cables_;
  Order order_ = Order::together;
  bool quiet_ = false;          // nobody else was seen to send so far
  bool fastest_first_ = false;  // of senders to one host
  // Of the trains that were held up most when all were sent at once: no pair is taken to be slower.
  double slowest_alone_bit_s_ = kSlowest_bit_s;
};

// What a train between both may bring at least, as far as is known.
double RateSearch::pair_bit_s(HostIndex from, HostIndex to) const {
  return std::max(slowest_alone_bit_s_, cables_.pair_bit_s(from, to));
}

// How long a train is worth it: one by one, the whole phase is bounded.
std::uint32_t RateSearch::frames_at(double bit_s) const {
  const bool quick = setting_.depth == Depth::quick;
  const auto hosts = static_cast<double>(setting_.hosts.size());
  double seconds = quick ? kTrainS / 2 : kTrainS;
  double least = quick ? kLeastRateFrames : kUsualFrames;
  if (order_ == Order::one_by_one) {
    // A fifth of what a phase may last at most: 60 ms a host, 5 s in all.
    const bool few = hosts <= kTurnsHosts;
    seconds = std::min({seconds, few ? 0.02 : 0.012, 1.0 / hosts});
    least = !few ? kLeastRateFrames : quiet_ ? kQuietFrames : kUsualFrames;
  }
  return static_cast<std::uint32_t>(
      std::clamp(seconds * bit_s / full_frame_bits(1), least, kMostRateFrames));
}

RateSearch::MaybeError RateSearch::send(const std::string& purpose,
                                        const std::vector<Volley>& volleys, Order order) {
  auto fired = fire(setting_, purpose, volleys, order);
  if (!fired) return fired.error();
  cables_.keep(volleys, fired.value());
  return std::nullopt;
}

RateSearch::MaybeError RateSearch::send_pairs(const std::string& purpose, const TrainPairs& pairs,
                                              Order order, double least_bit_s) {
  std::vector<Volley> volleys;
  for (const auto& [from, to] : pairs) {
    const double expected = std::max(least_bit_s, pair_bit_s(from, to));
    volleys.push_back({{from}, {to}, frames_at(expected), expected});
  }
  return send(purpose, volleys, order);
}

RateSearch::MaybeError RateSearch::scout() {
  std::vector<Volley> volleys;
  const double expected = setting_.depth == Depth::quick ? 8e6 : 2e6;
  for (const auto& [from, to] : cycle_of(setting_.hosts, setting_.chance))
    volleys.push_back({{from}, {to}, kScoutFrames, expected});
  return send("a first look at rates", volleys, Order::together);
}

// Whoever's frames did not come in that time: a slow host, or a bus that all had to share.
RateSearch::MaybeError RateSearch::scout_the_slow() {
  std::vector<Volley> volleys;
  for (const auto& [from, to] : cycle_of(setting_.hosts, setting_.chance))
    if (cables_.out(from).sightings.empty() || cables_.in(to).sightings.empty())
      volleys.push_back({{from}, {to}, kScoutFrames, 5e6});
  return send("hosts that were slow at first", volleys, Order::one_by_one);
}

RateSearch::MaybeError RateSearch::outwards_first() {
  // So few can take their turns: nothing is assumed of what they share.
  if (setting_.depth == Depth::full && setting_.hosts.size() <= kTurnsHosts)
    order_ = Order::one_by_one;
  // The first look was at what all share. Whoever is slower yet is sent to more slowly next time.
  const double likely = order_ == Order::one_by_one ? kLikely_bit_s : 0;
  auto error =
      send_pairs("trains outwards", cycle_of(setting_.hosts, setting_.chance), order_, likely);
  quiet_ = quiet(cables_.rates(setting_));
  return error;
}

// Do trains at once hinder one another? Those that arrived far slower than their sender's interface
// took them would be the ones; they are slower alone as well where a slow receiver was the reason.
RateSearch::MaybeError RateSearch::check_alone() {
  if (order_ == Order::one_by_one) return std::nullopt;
  constexpr double kLag = 0.8;
  const bool quick = setting_.depth == Depth::quick;
  const std::size_t sample = quick ? 4 : 8;
  std::vector<std::pair<double, HostIndex>> lagging;
  std::size_t unseen = 0;
  for (const HostIndex host : setting_.hosts) {
    if (cables_.out(host).sightings.empty()) {
      ++unseen;
      continue;
    }
    const Sighting& last = cables_.out(host).sightings.back();
    const double share = last.mean_bit_s / last.offered_bit_s;
    if (share < kLag) lagging.emplace_back(share, host);
  }
  std::sort(lagging.begin(), lagging.end());
  // Not even ten frames came through in time.
  if (quick && setting_.hosts.size() <= kTurnsHosts && 4 * unseen > setting_.hosts.size())
    order_ = Order::one_by_one;
  if (lagging.empty() || order_ == Order::one_by_one) return std::nullopt;
  lagging.resize(std::min(lagging.size(), sample));
  std::vector<Volley> volleys;
  for (const auto& [share, host] : lagging) {
    const Sighting& last = cables_.out(host).sightings.back();
    volleys.push_back({{host},
                       {last.partner},
                       quick ? kScoutFrames : 2 * kScoutFrames,
                       std::max(last.mean_bit_s, std::min(last.offered_bit_s / 2, kLikely_bit_s))});
  }
  auto fired = fire(setting_, "the slowest of these trains alone", volleys, Order::one_by_one);
  if (!fired) return fired.error();
  std::size_t faster = 0;
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t at = 0; at < volleys.size(); ++at) {
    const HostIndex host = lagging[at].second;
    const double together = cables_.out(host).sightings.back().mean_bit_s;
    const VolleyResult& alone = fired.value()[at];
    if (!alone.sound) continue;
    if (alone.arriving_bit_s > 1.25 * together) ++faster;
    slowest = std::min(slowest, alone.arriving_bit_s);
  }
  cables_.keep(volleys, fired.value());
  if (faster < 2 || 3 * faster < lagging.size()) return std::nullopt;
  order_ = Order::one_by_one;
  slowest_alone_bit_s_ = slowest;
  return std::nullopt;
}

RateSearch::MaybeError RateSearch::outwards_again() {
  // Trains at once cost little time: several, for what others take differs from one to the next.
  const int passes = order_ == Order::together ? 3 : 1;
  for (int pass = 0; pass < passes; ++pass)
    if (auto error = send_pairs("trains outwards to other hosts",
                                fast_with_fast(setting_.hosts, cables_, setting_.chance), order_))
      return error;
  return std::nullopt;
}

// Hosts that no single partner could take all from send to several.
RateSearch::MaybeError RateSearch::outwards_to_several() {
  for (const std::size_t partners : {2, 4}) {
    std::vector<Volley> volleys;
    for (const HostIndex from : setting_.hosts) {
      if (cables_.out(from).is_limit() || cables_.out(from).sightings.empty()) continue;
      std::vector<HostIndex> to = setting_.hosts;
      std::erase(to, from);
      std::shuffle(to.begin(), to.end(), setting_.chance);
      std::stable_sort(to.begin(), to.end(), [&](HostIndex one, HostIndex other) {
        return cables_.in(one).best_bit_s() > 1.15 * cables_.in(other).best_bit_s();
      });
      to.resize(std::min(to.size(), partners));
      double expected = 0;
      for (const HostIndex one : to) expected += cables_.in(one).best_bit_s();
      const auto most = frames_at(expected);
      expected = std::max(slowest_alone_bit_s_, std::min(expected, cables_.out(from).best_bit_s()));
      constexpr double kLongestS = 0.04;
      const auto frames = static_cast<std::uint32_t>(
          std::min<double>(most, kLongestS * expected / full_frame_bits(1)) / to.size());
      volleys.push_back({{from}, to, std::max(12U, frames), expected});
    }
    if (auto error = send("trains to several hosts at once", volleys, Order::one_by_one))
      return error;
  }
  return std::nullopt;
}

// As few of `candidates`, in their order, as together send clearly more than `to` took so far;
// before those that send so fast that others' share would not be seen beside them; or after.
Volley RateSearch::fan_in(HostIndex to, std::vector<HostIndex> candidates) const {
  Volley volley{{}, {to}, 0, std::max(slowest_alone_bit_s_, cables_.in(to).best_bit_s())};
  const auto modest = [&](HostIndex from) {
    return cables_.out(from).usual_bit_s() < 2 * volley.expected_bit_s;
  };
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](HostIndex from) { return modest(from) != fastest_first_; });
  double offered = 0;
  constexpr std::size_t kMost = 6;
  for (const HostIndex from : candidates) {
    if (from == to || volley.from.size() == kMost) continue;
    if (volley.from.size() >= 2 && offered > 1.5 * volley.expected_bit_s) break;
    volley.from.push_back(from);
    offered += cables_.out(from).usual_bit_s();
  }
  // What they offer is what may come; a rate that grows is followed.
  const double length = frames_at(std::min(offered, 1.5 * volley.expected_bit_s));
  volley.frames = static_cast<std::uint32_t>(
      std::ceil(length / static_cast<double>(std::max<std::size_t>(1, volley.from.size()))));
  volley.frames = std::max(volley.frames, order_ == Order::together ? 16U : 8U);
  return volley;
}

RateSearch::MaybeError RateSearch::inwards() { return receive(setting_.hosts); }

// From others, the fastest, those that were not overloaded, or seem slower than they send and than
// another: their senders may have been. Again where that made a difference.
RateSearch::MaybeError RateSearch::inwards_again() {
  if (order_ == Order::together)
    if (auto error = receive(setting_.hosts)) return error;
  fastest_first_ = true;
  std::vector<HostIndex> doubtful = setting_.hosts;
  for (int pass = 0; pass < 2; ++pass) {
    double most = 0;
    for (const HostIndex host : setting_.hosts)
      most = std::max(most, cables_.in(host).usual_bit_s());
    const auto as_outwards = [&](HostIndex host) {
      return cables_.out(host).is_limit() ? cables_.out(host).usual_bit_s() : most;
    };
    std::vector<double> before;
    for (HostIndex host = 0; host < setting_.network.hosts().size(); ++host)
      before.push_back(cables_.in(host).usual_bit_s());
    std::erase_if(doubtful, [&](HostIndex host) {
      return cables_.in(host).is_limit() &&
             cables_.in(host).usual_bit_s() > 0.7 * std::min(most, as_outwards(host));
    });
    if (auto error = receive(doubtful)) return error;
    std::erase_if(doubtful, [&](HostIndex host) {
      return cables_.in(host).usual_bit_s() < 1.2 * before[host];
    });
  }
  return std::nullopt;
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

}  // namespace

Result<std::vector<HostRates>> measure_host_rates(Setting& setting) {
  if (setting.hosts.size() < 2)
    return Error{ErrorKind::invalid_argument,
                 "host rates: " + std::to_string(setting.hosts.size()) +
                     " host(s): nothing to measure between; start ranks on two hosts or more"};
  return RateSearch(setting).run();
}

bool quiet(const std::vector<HostRates>& cables) {
  std::vector<double> shares;
  for (const HostRates& cable : cables) {
    if (cable.ambient_out_share) shares.push_back(cable.ambient_out_share->value);
    if (cable.ambient_in_share) shares.push_back(cable.ambient_in_share->value);
  }
  if (shares.empty()) return true;
  return median(std::move(shares)) < kQuietShare;
}

}  // namespace quadrille::probe
