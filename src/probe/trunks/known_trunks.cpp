// SPDX-License-Identifier: BSD-3-Clause
#include "probe/trunks/known_trunks.h"

#include <algorithm>
#include <utility>

#include "probe/segments/loads.h"
#include "probe/trunks/trunk_crossing.h"

namespace quadrille::probe {

KnownTrunks::KnownTrunks(const std::vector<HostSet>& all) : segments(all), own(all.size()) {
  for (std::size_t segment = 0; segment < all.size(); ++segment) {
    for (const HostIndex host : all[segment]) {
      if (segment_of_host_.size() <= host) segment_of_host_.resize(host + 1, all.size());
      segment_of_host_[host] = segment;
    }
  }
}

// What of `offered_bit_s` gets through a segment's own trunk.
double KnownTrunks::through(std::size_t segment, bool out, double offered_bit_s) const {
  return probe::through(out ? own[segment].out : own[segment].in, offered_bit_s);
}

HostSet KnownTrunks::hosts_of(const std::vector<std::size_t>& parts) const {
  HostSet hosts;
  for (const std::size_t part : parts)
    hosts.insert(hosts.end(), segments[part].begin(), segments[part].end());
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

KnownTrunks::Expected KnownTrunks::expected(std::vector<Flow> flows) const {
  std::vector<double> leaving(segments.size());
  for (const Flow& flow : flows) leaving[segment_of_host_[flow.from]] += flow.rate_bit_s;
  Expected expected;
  for (std::size_t segment = 0; segment < segments.size(); ++segment)
    expected.leaving_bit_s += through(segment, true, leaving[segment]);
  for (Flow& flow : flows) {
    const std::size_t from = segment_of_host_[flow.from];
    flow.rate_bit_s *= through(from, true, leaving[from]) / leaving[from];
  }
  for (const Split& split : joint) {
    pass(split, true, flows);
    pass(split, false, flows);
  }
  std::vector<double> entering(segments.size());
  for (const Flow& flow : flows) entering[segment_of_host_[flow.to]] += flow.rate_bit_s;
  for (std::size_t segment = 0; segment < segments.size(); ++segment)
    expected.arriving_bit_s += through(segment, false, entering[segment]);
  return expected;
}

// What of `flows` gets through a trunk that several segments share.
void KnownTrunks::pass(const Split& split, bool out, std::vector<Flow>& flows) const {
  const Crossing& crossing = out ? split.rates.out : split.rates.in;
  if (!is_told(crossing.bit_s)) return;
  const auto is_inside = [&](HostIndex host) {
    return std::ranges::binary_search(split.segments, segment_of_host_[host]);
  };
  const auto crosses = [&](const Flow& flow) {
    return is_inside(flow.from) == out && is_inside(flow.to) != out;
  };
  double all = 0;
  for (const Flow& flow : flows) all += crosses(flow) ? flow.rate_bit_s : 0;
  const double share = probe::through(crossing, all) / std::max(all, 1.0);
  for (Flow& flow : flows) flow.rate_bit_s *= crosses(flow) ? share : 1;
}

std::vector<Flow> KnownTrunks::worth_sending(std::vector<Flow> flows) const {
  for (const bool out : {true, false}) {
    const auto segment_of = [&](const Flow& flow) {
      return segment_of_host_[out ? flow.from : flow.to];
    };
    std::vector<double> crossing(segments.size());
    for (const Flow& flow : flows) crossing[segment_of(flow)] += flow.rate_bit_s;
    for (Flow& flow : flows) {
      const double all = crossing[segment_of(flow)];
      flow.rate_bit_s *= std::min(1.0, kKeepsFull * through(segment_of(flow), out, all) / all);
    }
  }
  return flows;
}

Split KnownTrunks::neighbourhood(std::size_t segment) const {
  Split smallest;
  for (const Split& split : joint) {
    const bool holds = std::ranges::binary_search(split.segments, segment);
    Split side = holds ? split : other_side(split, segments.size());
    const bool smaller =
        smallest.segments.empty() || side.segments.size() < smallest.segments.size();
    if (side.segments.size() > 1 && smaller) smallest = std::move(side);
  }
  return smallest;
}

}  // namespace quadrille::probe
