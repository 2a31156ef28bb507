// SPDX-License-Identifier: BSD-3-Clause
#include "probe/segments/bus_search.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "probe/segments/loads.h"

namespace quadrille::probe {
namespace {

// Two ways at this share are one and a half times what a bus carries, and three quarters of each
// cable.
constexpr double kPairShare = 0.75;
constexpr std::size_t kMostBusTests = 8;  // of one suspect
constexpr double kHardlyClear = 0.12;     // of a host's ways, with everything loaded
constexpr double kNearlyClear = 0.9;      // of the same: nothing holds it up
// Of two ways at once a bus delivers little more than half.
constexpr double kTakenInTurns = 0.8;
constexpr HostIndex kNobody = ~HostIndex{0};

double free_rate(const LoadedViews& views, HostIndex from, HostIndex to) {
  return std::min(views.rates()[from].free_out_bit_s(), views.rates()[to].free_in_bit_s());
}

// Of the ways between a host and the landmarks, the share that is clear in both directions.
double clear_share(const LoadedViews& views, const LoadedView& view, HostIndex host) {
  std::size_t known = 0;
  std::size_t clear = 0;
  for (const HostIndex third : view.landmarks) {
    if (third == host || !view.waits.at(host, third).known || !view.waits.at(third, host).known)
      continue;
    ++known;
    clear += !views.standing(view, host, third) && !views.standing(view, third, host) ? 1 : 0;
  }
  return known > 0 ? static_cast<double>(clear) / static_cast<double>(known) : 1;
}

// What arrived of what was sent, over the time that it took: a bus still delivers when the load is
// over.
double delivered_share(const LoadedView& view) {
  double offered = 0;
  double arrived = 0;
  for (const auto& outcome : view.flows) {
    offered += outcome.flow.rate_bit_s;
    arrived += std::min(outcome.arrived_bit_s, outcome.flow.rate_bit_s);
  }
  return offered > 0 ? arrived / offered : 1;
}

class BusSearch {
 public:
  explicit BusSearch(LoadedViews& views) : views_(views), setting_(views.setting()) {}

  Result<FoundBuses> run() {
    const auto suspects = find_suspects();
    if (!suspects.ok()) return suspects.error();
    suspects_ = suspects.value();
    for (const HostIndex host : suspects_) {
      if (of_known_bus(host)) continue;
      if (const auto tested = test(host); !tested.ok()) return tested.error();
    }
    return FoundBuses{found_, all_clear_};
  }

 private:
  Result<HostSet> find_suspects();
  Result<bool> test(HostIndex suspect);
  std::vector<Flow> through(HostIndex suspect, const HostSet& seeming);
  HostIndex any_of(HostSet candidates, const std::vector<HostIndex>& but);

  const Bus* of_known_bus(HostIndex host) const {
    const auto bus = std::find_if(found_.begin(), found_.end(),
                                  [&](const Bus& known) { return contains(known.hosts, host); });
    return bus == found_.end() ? nullptr : &*bus;
  }

  LoadedViews& views_;
  Setting& setting_;
  HostSet suspects_;
  bool all_clear_ = true;
  std::vector<Bus> found_;
};

// Whoever always waits while everybody sends and receives.
Result<HostSet> BusSearch::find_suspects() {
  HostSet order = setting_.hosts;
  std::shuffle(order.begin(), order.end(), setting_.chance);
  Load load{.purpose = "all hosts in pairs, both ways",
            .flows = {},
            .duration_ns = 35 * kMillisecond,
            .landmarks = choose_landmarks(setting_)};
  for (std::size_t at = 0; at + 1 < order.size(); at += 2) {
    load.flows.push_back(
        {order[at], order[at + 1], kPairShare * free_rate(views_, order[at], order[at + 1])});
    load.flows.push_back(
        {order[at + 1], order[at], kPairShare * free_rate(views_, order[at + 1], order[at])});
  }
  if (order.size() % 2 == 1) {
    const HostIndex left = order.back();
    load.flows.push_back({left, order[0], 0.2 * free_rate(views_, left, order[0])});
    load.flows.push_back({order[1], left, kPairShare * free_rate(views_, order[1], left)});
  }
  const auto view = views_.observe(load);
  if (!view.ok()) return view.error();
  HostSet suspects;
  for (const HostIndex host : setting_.hosts) {
    const double clear = clear_share(views_, view.value(), host);
    if (clear < kHardlyClear) suspects.push_back(host);
    all_clear_ = all_clear_ && clear > kNearlyClear;
  }
  return suspects;
}

HostIndex BusSearch::any_of(HostSet candidates, const std::vector<HostIndex>& but) {
  for (const HostIndex host : but)
    candidates.erase(std::remove(candidates.begin(), candidates.end(), host), candidates.end());
  return candidates.empty() ? kNobody : candidates[setting_.chance() % candidates.size()];
}

// From the suspect to one who seems to be on its bus, and to it from one who is not: if so, no
// other bus is full.
std::vector<Flow> BusSearch::through(HostIndex suspect, const HostSet& seeming) {
  HostIndex to = any_of(seeming, {suspect});
  if (to == kNobody) to = any_of(setting_.hosts, {suspect});
  HostIndex from = any_of(others(others(setting_.hosts, seeming), suspects_), {suspect, to});
  if (from == kNobody) from = any_of(others(setting_.hosts, seeming), {suspect, to});
  if (from == kNobody) from = any_of(setting_.hosts, {suspect, to});
  if (from == kNobody) from = to;
  return {{suspect, to, kCableShare * free_rate(views_, suspect, to)},
          {from, suspect, kCableShare * free_rate(views_, from, suspect)}};
}

struct Tested {
  HostIndex to = 0;  // whom the suspect sent to
  HostSet waiting;
};

// Whether the test may have filled another bus beside the one that was found.
bool named_two(const Tested& test, const HostSet& found) {
  const bool all = std::all_of(found.begin(), found.end(),
                               [&](HostIndex host) { return contains(test.waiting, host); });
  return all && test.waiting.size() > found.size() && !contains(found, test.to);
}

// Until the smallest set that was ever named is named again: a larger one was two buses at once.
Result<bool> BusSearch::test(HostIndex suspect) {
  std::map<HostSet, std::size_t> named;
  std::vector<Tested> tests;
  HostSet seeming;
  while (tests.size() < kMostBusTests) {
    const std::vector<Flow> flows = through(suspect, seeming);
    const auto view = views_.observe({.purpose = "whether a host is on a bus",
                                      .flows = flows,
                                      .duration_ns = 70 * kMillisecond,
                                      .landmarks = few_landmarks(setting_)});
    if (!view.ok()) return view.error();
    HostSet waiting = always_waiting(views_, view.value(), setting_.hosts);
    for (const Bus& bus : found_) waiting = others(waiting, bus.hosts);
    const bool waits = contains(waiting, suspect);
    if (!waits || delivered_share(view.value()) > kTakenInTurns) waiting.clear();
    if (seeming.empty() || (!waiting.empty() && waiting.size() < seeming.size())) seeming = waiting;
    tests.push_back({flows.front().to, waiting});
    const bool again = ++named[waiting] >= 2;
    if (!again || waiting != seeming) continue;
    if (waiting.empty()) return true;
    const auto of_one = std::count_if(tests.begin(), tests.end(), [&](const Tested& tested) {
      return !named_two(tested, waiting);
    });
    found_.push_back({waiting, 2.0 / static_cast<double>(of_one)});
    return true;
  }
  const auto most = std::max_element(
      named.begin(), named.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  if (most->second > 1 && !most->first.empty())
    found_.push_back({most->first, static_cast<double>(most->second) / kMostBusTests});
  return true;
}

}  // namespace

Result<FoundBuses> find_buses(LoadedViews& views) { return BusSearch(views).run(); }

HostSet always_waiting(const LoadedViews& views, const LoadedView& view, const HostSet& hosts) {
  std::vector<double> shares;
  for (const HostIndex host : hosts) shares.push_back(clear_share(views, view, host));
  const double most = *std::max_element(shares.begin(), shares.end());
  HostSet waiting;
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    if (shares[at] < std::max(0.4 * most, kHardlyClear)) waiting.push_back(hosts[at]);
  }
  return waiting;
}

}  // namespace quadrille::probe
