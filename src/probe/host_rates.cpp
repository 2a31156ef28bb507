// SPDX-License-Identifier: BSD-3-Clause
#include "probe/host_rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "probe/host_evidence.h"
#include "probe/volley.h"

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kScoutFrames = 10;
constexpr double kLikely_bit_s = 8e6;     // hosts of a cluster are hardly slower
constexpr double kSlowest_bit_s = 0.5e6;  // a host slower than that is taken to be unreachable
// A train should last this long, so that time stamps late by some tens of microseconds, and others'
// frames, average out; within bounds.
constexpr double kTrainS = 0.024;
constexpr double kLeastFrames = 14;
constexpr double kUsualFrames = 28;
constexpr double kMostFrames = 400;
// Offered this much more than what came: something was the limit.
constexpr double kOverload = 1.15;

constexpr std::size_t kTurnsHosts = 32;

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
  void keep(const std::vector<Volley>& volleys, const std::vector<VolleyResult>& results);
  void keep_outwards(const Volley& volley, const VolleyResult& result);
  void keep_inwards(const Volley& volley, const VolleyResult& result);
  Pairs cycle();
  Pairs fast_with_fast();
  Volley fan_in(HostIndex to, std::vector<HostIndex> candidates) const;
  double pair_bit_s(HostIndex from, HostIndex to) const;
  std::uint32_t frames_at(double bit_s) const;
  std::vector<HostRates> rates() const;
  std::int64_t stated_bit_s(HostIndex host) const;

  Setting& setting_;
  std::vector<Evidence> out_;
  std::vector<Evidence> in_;
  Order order_ = Order::together;
  bool fastest_first_ = false;  // of senders to one host
  // Of the trains that were held up most when all were sent at once: no pair is taken to be slower.
  double slowest_alone_bit_s_ = kSlowest_bit_s;
};

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
  return std::max(slowest_alone_bit_s_, std::min(out > 0 ? out : in, in > 0 ? in : out));
}

// How long a train is worth it: one by one, the whole phase is bounded.
std::uint32_t RateSearch::frames_at(double bit_s) const {
  const bool quick = setting_.depth == Depth::quick;
  const auto hosts = static_cast<double>(setting_.hosts.size());
  double seconds = quick ? kTrainS / 2 : kTrainS;
  double least = quick ? kLeastFrames : kUsualFrames;
  if (order_ == Order::one_by_one) {
    // A fifth of what a phase may last at most: 60 ms a host, 5 s in all.
    const bool few = hosts <= kTurnsHosts;
    seconds = std::min({seconds, few ? 0.02 : 0.012, 1.0 / hosts});
    least = few ? kUsualFrames : kLeastFrames;
  }
  return static_cast<std::uint32_t>(
      std::clamp(seconds * bit_s / full_frame_bits(1), least, kMostFrames));
}

RateSearch::MaybeError RateSearch::send(const std::string& purpose,
                                        const std::vector<Volley>& volleys, Order order) {
  auto fired = fire(setting_, purpose, volleys, order);
  if (!fired) return fired.error();
  keep(volleys, fired.value());
  return std::nullopt;
}

void RateSearch::keep(const std::vector<Volley>& volleys,
                      const std::vector<VolleyResult>& results) {
  for (std::size_t at = 0; at < volleys.size(); ++at) {
    if (!results[at].sound || results[at].arriving_bit_s <= 0) continue;
    if (volleys[at].from.size() == 1) keep_outwards(volleys[at], results[at]);
    if (volleys[at].to.size() == 1) keep_inwards(volleys[at], results[at]);
  }
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
  sighting.partner = volley.to.front();
  sighting.paced = result.taken_bit_s < kOverload * result.arriving_bit_s;
  sighting.narrowest = sighting.paced;
  sighting.arrivals = result.arrivals;
  sighting.sends = result.sends;
  if (!sighting.narrowest && volley.to.size() > 1) {
    // Several receivers that together take more than came: what is before them was the limit.
    double takes = 0;
    for (const HostIndex to : volley.to) takes += in_[to].best_bit_s();
    sighting.narrowest = takes > kOverload * result.arriving_bit_s;
  }
  out_[volley.from.front()].sightings.push_back(std::move(sighting));
}

void RateSearch::keep_inwards(const Volley& volley, const VolleyResult& result) {
  Sighting sighting;
  sighting.partner = volley.from.front();
  sighting.arrivals = result.arrivals;
  sighting.mean_bit_s = result.arriving_bit_s;
  for (const HostIndex from : volley.from) sighting.offered_bit_s += out_[from].usual_bit_s();
  const bool overloaded = sighting.offered_bit_s > kOverload * result.arriving_bit_s;
  sighting.narrowest = volley.from.size() > 1 && overloaded;
  in_[volley.to.front()].sightings.push_back(std::move(sighting));
}

RateSearch::MaybeError RateSearch::scout() {
  std::vector<Volley> volleys;
  const double expected = setting_.depth == Depth::quick ? 8e6 : 2e6;
  for (const auto& [from, to] : cycle()) volleys.push_back({{from}, {to}, kScoutFrames, expected});
  return send("a first look at rates", volleys, Order::together);
}

// Whoever's frames did not come in that time: a slow host, or a bus that all had to share.
RateSearch::MaybeError RateSearch::scout_the_slow() {
  std::vector<Volley> volleys;
  for (const auto& [from, to] : cycle())
    if (out_[from].sightings.empty() || in_[to].sightings.empty())
      volleys.push_back({{from}, {to}, kScoutFrames, 5e6});
  return send("hosts that were slow at first", volleys, Order::one_by_one);
}

RateSearch::MaybeError RateSearch::outwards_first() {
  // So few can take their turns: nothing is assumed of what they share.
  if (setting_.depth == Depth::full && setting_.hosts.size() <= kTurnsHosts)
    order_ = Order::one_by_one;
  return send_pairs("trains outwards", cycle(), order_);
}

// Do trains at once hinder one another? Those that arrived far slower than their sender's interface
// took them would be the ones; they are slower alone as well where a slow receiver was the reason.
RateSearch::MaybeError RateSearch::check_alone() {
  if (order_ == Order::one_by_one) return std::nullopt;
  constexpr double kLag = 0.8;
  constexpr std::size_t kSample = 8;
  std::vector<std::pair<double, HostIndex>> lagging;
  for (const HostIndex host : setting_.hosts) {
    if (out_[host].sightings.empty()) continue;
    const Sighting& last = out_[host].sightings.back();
    const double share = last.mean_bit_s / last.offered_bit_s;
    if (share < kLag) lagging.emplace_back(share, host);
  }
  std::sort(lagging.begin(), lagging.end());
  lagging.resize(std::min(lagging.size(), kSample));
  std::vector<Volley> volleys;
  for (const auto& [share, host] : lagging) {
    const Sighting& last = out_[host].sightings.back();
    volleys.push_back({{host},
                       {last.partner},
                       kScoutFrames * 2,
                       std::max(last.mean_bit_s, std::min(last.offered_bit_s / 2, kLikely_bit_s))});
  }
  auto fired = fire(setting_, "the slowest of these trains alone", volleys, Order::one_by_one);
  if (!fired) return fired.error();
  std::size_t faster = 0;
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t at = 0; at < volleys.size(); ++at) {
    const HostIndex host = lagging[at].second;
    const double together = out_[host].sightings.back().mean_bit_s;
    const VolleyResult& alone = fired.value()[at];
    if (!alone.sound) continue;
    if (alone.arriving_bit_s > 1.25 * together) ++faster;
    slowest = std::min(slowest, alone.arriving_bit_s);
  }
  keep(volleys, fired.value());
  if (faster < 2 || 3 * faster < lagging.size()) return std::nullopt;
  order_ = Order::one_by_one;
  slowest_alone_bit_s_ = slowest;
  return std::nullopt;
}

RateSearch::MaybeError RateSearch::outwards_again() {
  // Trains at once cost little time: several, for what others take differs from one to the next.
  const int passes = order_ == Order::together ? 3 : 1;
  for (int pass = 0; pass < passes; ++pass)
    if (auto error = send_pairs("trains outwards to other hosts", fast_with_fast(), order_))
      return error;
  return std::nullopt;
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
      const auto most = frames_at(expected);
      expected = std::max(slowest_alone_bit_s_, std::min(expected, out_[from].best_bit_s()));
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
  Volley volley{{}, {to}, 0, std::max(slowest_alone_bit_s_, in_[to].best_bit_s())};
  const auto modest = [&](HostIndex from) {
    return out_[from].usual_bit_s() < 2 * volley.expected_bit_s;
  };
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](HostIndex from) { return modest(from) != fastest_first_; });
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
  volley.frames = std::max(volley.frames, order_ == Order::together ? 16U : 8U);
  return volley;
}

RateSearch::MaybeError RateSearch::inwards() { return receive(setting_.hosts); }

// From others, the fastest, those that were not overloaded or seem slow: their senders may have
// been. Again where that made a difference.
RateSearch::MaybeError RateSearch::inwards_again() {
  if (order_ == Order::together)
    if (auto error = receive(setting_.hosts)) return error;
  fastest_first_ = true;
  std::vector<HostIndex> doubtful = setting_.hosts;
  for (int pass = 0; pass < 2; ++pass) {
    double most = 0;
    for (const HostIndex host : setting_.hosts) most = std::max(most, in_[host].usual_bit_s());
    std::vector<double> before;
    for (const Evidence& evidence : in_) before.push_back(evidence.usual_bit_s());
    std::erase_if(doubtful, [&](HostIndex host) {
      return in_[host].is_limit() && in_[host].usual_bit_s() > 0.7 * most;
    });
    if (auto error = receive(doubtful)) return error;
    std::erase_if(doubtful,
                  [&](HostIndex host) { return in_[host].usual_bit_s() < 1.2 * before[host]; });
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
    found[host].out_bit_s = out.bit_s;
    // A few frames at once may have met others' everywhere: what they got is the least there is.
    if (setting_.depth == Depth::quick && found[host].out_bit_s)
      found[host].out_bit_s->high = std::numeric_limits<double>::infinity();
    found[host].in_bit_s = in.bit_s;
    found[host].ambient_out_share = out.ambient_share;
    found[host].ambient_in_share = in.ambient_share;
    found[host].usual_out_bit_s = out_[host].usual_bit_s();
    found[host].usual_in_bit_s = in_[host].usual_bit_s();
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
