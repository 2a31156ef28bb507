// SPDX-License-Identifier: BSD-3-Clause
#include "probe/trunks/cut.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "probe/quantile.h"
#include "probe/segments/loads.h"

namespace quadrille::probe {
namespace {

constexpr double kWholeFlow = 0.98;    // of what was offered; less was held up
constexpr double kGentleExcess = 1.6;  // of what one cable carries
// Hosts outside that take no part, so that nothing waits at their own ports.
constexpr std::size_t kIdleHosts = 3;
constexpr std::size_t kMostIdleTargets = 9;
// Where everybody takes part: what light datagrams take of a cable, its flows do not.
constexpr std::size_t kBusyTargets = 5;
constexpr std::size_t kInsideTargets = 3;
constexpr std::size_t kInsideTargetsWithin = 8;

// Of the waits on a host's ways: low, because the own cable is now and then busy but seldom for all
// of them.
std::int64_t low_wait(std::vector<std::int64_t> waits) { return quantile(std::move(waits), 1, 5); }

struct Sides {
  HostSet inside;
  HostSet outside;
  HostSet busy;  // of the outside: send and receive
  HostSet seen;  // of the outside: targets of light datagrams; idle, if all can be
  HostSet near;  // of the inside: targets of light datagrams of the inside
};

Sides choose_sides(LoadedViews& views, const HostSet& inside, const CutOptions& options) {
  const HostSet& against = options.against;
  Setting& setting = views.setting();
  Sides sides{inside, others(setting.hosts, inside), {}, {}, {}};
  HostSet order = sides.outside;
  if (!against.empty()) {
    sides.busy = against;
    order = others(order, against);
  }
  std::shuffle(order.begin(), order.end(), setting.chance);
  const double wanted =
      std::max(sum_free_out(inside, views.rates()), sum_free_in(inside, views.rates()));
  const std::size_t idle_least = order.size() < 3 || options.within
                                     ? 0
                                     : std::clamp<std::size_t>(order.size() / 3, 1, kIdleHosts);
  double room = 0;
  for (const HostIndex host : order) {
    const bool enough = room > wanted || !against.empty();
    if (enough || sides.busy.size() + idle_least >= order.size()) {
      if (sides.seen.size() < kMostIdleTargets) sides.seen.push_back(host);
      continue;
    }
    sides.busy.push_back(host);
    room += std::min(views.rates()[host].free_out_bit_s(), views.rates()[host].free_in_bit_s());
  }
  if (sides.seen.size() < 2) {
    sides.seen.clear();
    std::sample(sides.outside.begin(), sides.outside.end(), std::back_inserter(sides.seen),
                kBusyTargets, setting.chance);
  }
  std::sort(sides.busy.begin(), sides.busy.end());
  std::sort(sides.seen.begin(), sides.seen.end());
  std::sample(inside.begin(), inside.end(), std::back_inserter(sides.near),
              options.within ? kInsideTargetsWithin : kInsideTargets, setting.chance);
  return sides;
}

using WaitOf = std::function<const Wait&(HostIndex host, HostIndex third)>;

// Fills in whether something is full, from every host's wait towards or from the idle ones. Nothing
// is where all that was offered came through.
void judge(CutDirection& direction, const LoadedViews& views, const Sides& sides,
           const HostSet& hosts, const WaitOf& wait_of) {
  if (direction.arrived_bit_s > kWholeFlow * direction.offered_bit_s) return;
  std::vector<std::int64_t> within;
  std::vector<std::int64_t> beyond;
  std::int64_t floor = 0;
  for (const HostIndex host : hosts) {
    std::vector<std::int64_t> waits;
    for (const HostIndex third : sides.seen) {
      if (third != host && wait_of(host, third).known)
        waits.push_back(wait_of(host, third).least_ns());
    }
    if (waits.empty()) continue;
    const bool is_inside = contains(sides.inside, host);
    (is_inside ? within : beyond).push_back(low_wait(std::move(waits)));
  }
  for (const HostIndex host : sides.inside) {
    for (const HostIndex third : sides.seen) floor = std::max(floor, views.floor_ns(host, third));
  }
  const auto high = median(within);
  const auto low = std::max<std::int64_t>(median(beyond), 30'000);
  // The floor is about a single frame on a host's own cable, which low_wait has mostly filtered
  // out.
  if (high < 3 * low || high < floor / 2) return;
  direction.full = true;
  const auto [least, most] = std::minmax_element(within.begin(), within.end());
  direction.wait_ns =
      Measured{static_cast<double>(high), static_cast<double>(*least), static_cast<double>(*most)};
}

void add_flows(CutDirection& direction, const LoadedView& view, const HostSet& senders,
               const HostSet& receivers, double light_inside_bit_s) {
  std::vector<FlowOutcome> own;
  for (const auto& outcome : view.flows) {
    if (!contains(senders, outcome.flow.from)) continue;
    direction.offered_bit_s += outcome.flow.rate_bit_s;
    own.push_back(outcome);
  }
  direction.arrived_bit_s = std::min(arrived_together_bit_s(own), direction.offered_bit_s);
  direction.carried_bit_s = direction.arrived_bit_s + light_bit_s(view, senders, receivers);
  direction.inside_bit_s = direction.arrived_bit_s + light_inside_bit_s;
}

double fastest(const HostSet& hosts, const std::vector<HostRates>& rates) {
  double most = 0;
  for (const HostIndex host : hosts)
    most = std::max({most, rates[host].free_out_bit_s(), rates[host].free_in_bit_s()});
  return most;
}

// As if those outside took all that the hosts inside can send.
std::vector<HostRates> widened(const LoadedViews& views, const Sides& sides) {
  std::vector<HostRates> rates = views.rates();
  const double offered = sum_free_out(sides.inside, rates);
  const double taken = sum_free_in(sides.busy, rates);
  if (taken <= 0 || taken >= offered) return rates;
  for (const HostIndex host : sides.busy) {
    rates[host].usual_in_bit_s = rates[host].free_in_bit_s() * offered / taken;
    rates[host].in_bit_s.reset();
  }
  return rates;
}

std::vector<Flow> flows_across(const LoadedViews& views, const Sides& sides,
                               const CutOptions& options) {
  if (options.gentle) {
    const double most = kGentleExcess * fastest(sides.inside, views.cables());
    return options.inwards ? crossing_flows(sides.busy, views.one_way_rates(), sides.inside,
                                            views.cables(), most)
                           : crossing_flows(sides.inside, views.cables(), sides.busy,
                                            views.one_way_rates(), most);
  }
  const double most = options.most_bit_s;
  const auto takes = options.within ? widened(views, sides) : views.rates();
  auto flows = crossing_flows(sides.inside, views.rates(), sides.busy, takes, most, options.ways);
  const auto inward =
      crossing_flows(sides.busy, views.rates(), sides.inside, views.rates(), most, options.ways);
  flows.insert(flows.end(), inward.begin(), inward.end());
  return options.worth ? options.worth(std::move(flows)) : flows;
}

}  // namespace

Result<Cut> load_cut(LoadedViews& views, const HostSet& inside, const CutOptions& options) {
  const HostSet& hosts = views.setting().hosts;
  const Sides sides = choose_sides(views, inside, options);
  Load load{.purpose = "what " + std::to_string(inside.size()) + " hosts share towards the others",
            .flows = flows_across(views, sides, options),
            .duration_ns = 200 * kMillisecond,
            .landmarks = sides.seen,
            .group = inside,
            .near = sides.near,
            .passes = 5,
            .filled = options.within ? sides.busy : HostSet{}};
  auto view = views.observe(load);
  if (!view.ok()) return view.error();
  Cut cut;
  const double light_inside =
      light_bit_s(view.value(), inside, hosts) + light_bit_s(view.value(), sides.outside, inside);
  add_flows(cut.out, view.value(), sides.inside, sides.outside, light_inside);
  add_flows(cut.in, view.value(), sides.outside, sides.inside, light_inside);
  judge(cut.out, views, sides, hosts, [&](HostIndex host, HostIndex third) -> const Wait& {
    return view.value().waits.at(host, third);
  });
  judge(cut.in, views, sides, hosts, [&](HostIndex host, HostIndex third) -> const Wait& {
    return view.value().waits.at(third, host);
  });
  if (options.against.empty() && !options.gentle && (cut.out.full || cut.in.full))
    views.keep_crossing(inside, std::max(cut.out.arrived_bit_s, cut.in.arrived_bit_s));
  cut.view = std::move(view.value());
  return cut;
}

}  // namespace quadrille::probe
