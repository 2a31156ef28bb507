// SPDX-License-Identifier: BSD-3-Clause
#include "probe/conclusion.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "probe/latency/delay_classes.h"
#include "probe/quantile.h"

namespace quadrille::probe {
namespace {

constexpr double kDoubtful = 0.8;  // below, a warning says so

MaybeMeasured median_of(std::vector<Measured> values) {
  if (values.empty()) return std::nullopt;
  return median(std::move(values),
                [](const Measured& one, const Measured& other) { return one.value < other.value; });
}

// What a file may hold: a share from 0 to 1, an interval around its value.
MaybeMeasured as_share(MaybeMeasured share) {
  if (!share) return share;
  const auto bounded = [](double value) { return std::clamp(value, 0.0, 1.0); };
  return Measured{bounded(share->value), bounded(std::min(share->low, share->value)),
                  bounded(std::max(share->high, share->value))};
}

MaybeMeasured as_positive(MaybeMeasured value) {
  if (!value || !(value->value > 0)) return std::nullopt;
  return Measured{value->value, std::clamp(value->low, 0.0, value->value),
                  std::max(value->high, value->value)};
}

class Conclusion {
 public:
  Conclusion(const Network& network, const Findings& findings)
      : network_(network), findings_(findings), kinds_(kinds_of(findings)) {}

  NetworkModel model() {
    add_segments();
    add_hosts();
    add_trunks();
    add_warnings();
    model_.provenance.network = network_.networks()[findings_.choice.network].name;
    model_.provenance.not_usable = findings_.choice.not_usable;
    if (findings_.latencies)
      model_.delay_classes =
          delay_classes(findings_.latencies->small, findings_.choice.hosts, segment_of_);
    return std::move(model_);
  }

 private:
  void add_segments();
  void add_hosts();
  void add_trunks();
  void add_warnings();
  Segment segment(std::size_t at) const;
  MaybeMeasured latency_between(const HostSet& some, const HostSet& others) const;
  const HostSet& hosts_of(std::size_t segment) const {
    return findings_.partition.segments[segment];
  }

  const Network& network_;
  const Findings& findings_;
  std::vector<SegmentKind> kinds_;
  std::vector<std::uint32_t> segment_of_;  // [choice.hosts]
  NetworkModel model_;
};

// Half the least round trip of the pairs, their median.
MaybeMeasured Conclusion::latency_between(const HostSet& some, const HostSet& others) const {
  if (!findings_.latencies) return std::nullopt;
  std::vector<double> halves;
  for (const HostIndex one : some) {
    for (const HostIndex other : others) {
      const auto& pair = findings_.latencies->small.at(one, other);
      if (one != other && pair.least_round_trip_ns > 0)
        halves.push_back(static_cast<double>(pair.least_round_trip_ns) / 2);
    }
  }
  if (halves.empty()) return std::nullopt;
  std::sort(halves.begin(), halves.end());
  return Measured{halves[halves.size() / 2], halves[halves.size() / 20],
                  halves[halves.size() - 1 - halves.size() / 20]};
}

Segment Conclusion::segment(std::size_t at) const {
  Segment made;
  made.name = "segment" + std::to_string(at);
  for (const HostIndex host : hosts_of(at)) made.hosts.push_back(network_.hosts()[host].name);
  made.kind = kinds_[at];
  made.confidence = findings_.partition.confidence;
  made.latency_ns = latency_between(hosts_of(at), hosts_of(at));
  for (const Bus& bus : findings_.buses) {
    if (bus.hosts != hosts_of(at)) continue;
    made.confidence = std::min(made.confidence, bus.confidence);
    const HostRates& rates = findings_.rates[bus.hosts.front()];
    made.bus_rate_bit_s = as_positive(rates.out_bit_s);
    made.ambient_share = as_share(rates.ambient_out_share);
  }
  if (at < findings_.bursts.size()) {
    const Burst& burst = findings_.bursts[at];
    made.safe_burst_bytes = as_positive(burst.one_port_bytes);
    made.safe_burst_all_ports_bytes = as_positive(burst.all_ports_bytes);
    if (burst.one_port_bytes) made.lossless = burst.lossless;
  }
  if (findings_.multicast && at < findings_.multicast->groups.size()) {
    const GroupMulticast& group = findings_.multicast->groups[at];
    made.multicast = group.works;
    if (findings_.multicast_again && at < findings_.multicast_again->works.size() &&
        findings_.multicast_again->works[at]) {
      made.multicast = findings_.multicast_again->works[at];
    }
    if (made.multicast.value_or(false)) {
      made.multicast_bit_s = as_positive(group.rate_bit_s);
      made.multicast_loss = as_share(group.loss);
    }
  }
  return made;
}

void Conclusion::add_segments() {
  for (std::size_t at = 0; at < findings_.partition.segments.size(); ++at)
    model_.segments.push_back(segment(at));
  for (const HostIndex host : findings_.choice.hosts) {
    std::uint32_t own = 0;
    while (!contains(hosts_of(own), host)) ++own;
    segment_of_.push_back(own);
  }
}

void Conclusion::add_hosts() {
  const CandidateNetwork& network = network_.networks()[findings_.choice.network];
  for (std::size_t at = 0; at < findings_.choice.hosts.size(); ++at) {
    const HostIndex host = findings_.choice.hosts[at];
    const HostFacts& facts = network_.hosts()[host];
    const HostRates& rates = findings_.rates[host];
    ModelHost made;
    made.name = facts.name;
    made.segment = model_.segments[segment_of_[at]].name;
    made.interface = network.interface[host];
    made.address = network.address[host];
    for (const Interface& interface : facts.interfaces) {
      if (interface.name == made.interface) made.mtu_bytes = interface.mtu_bytes;
    }
    made.cores = facts.cores;
    made.machine = facts.machine;
    made.from_host_bit_s = as_positive(rates.out_bit_s);
    made.to_host_bit_s = as_positive(rates.in_bit_s);
    if (made.from_host_bit_s) made.ambient_from_host_share = as_share(rates.ambient_out_share);
    if (made.to_host_bit_s) made.ambient_to_host_share = as_share(rates.ambient_in_share);
    if (findings_.overheads) {
      const HostOverheads& overheads = findings_.overheads->hosts[host];
      made.send_overhead_ns = as_positive(overheads.send_ns);
      made.receive_overhead_ns = as_positive(overheads.receive_ns);
      made.gap_ns = as_positive(overheads.gap_ns);
    }
    model_.hosts.push_back(std::move(made));
  }
}

void Conclusion::add_trunks() {
  std::vector<std::string> names;
  for (const TreeNode& node : findings_.trunks) {
    if (node.segment) {
      names.push_back(model_.segments[*node.segment].name);
    } else {
      names.push_back("junction" + std::to_string(model_.junctions.size()));
      model_.junctions.push_back(names.back());
    }
  }
  for (std::size_t at = 0; at < findings_.trunks.size(); ++at) {
    const TreeNode& node = findings_.trunks[at];
    if (!node.parent) continue;
    Trunk trunk;
    trunk.name = "trunk" + std::to_string(model_.trunks.size());
    trunk.first = names[at];
    trunk.second = names[*node.parent];
    const auto& [full, out, in] = node.to_parent;
    trunk.forward_bit_s = as_positive(out.bit_s);
    trunk.backward_bit_s = as_positive(in.bit_s);
    trunk.forward_buffer_bytes = as_positive(out.buffer_bytes);
    trunk.backward_buffer_bytes = as_positive(in.buffer_bytes);
    trunk.forward_ambient_share = out.ambient_share;
    trunk.backward_ambient_share = in.ambient_share;
    const auto& above = findings_.trunks[*node.parent].segment;
    if (node.segment && above) {
      const auto across = latency_between(hosts_of(*node.segment), hosts_of(*above));
      const auto inside = latency_between(hosts_of(*above), hosts_of(*above));
      if (across && inside && across->value > inside->value) {
        trunk.latency_ns = Measured{across->value - inside->value,
                                    std::max(0.0, across->low - inside->high), across->high};
      }
    }
    model_.trunks.push_back(std::move(trunk));
  }
}

void Conclusion::add_warnings() {
  model_.warnings = findings_.choice.warnings;
  std::set<std::string> machines;
  for (const HostIndex host : findings_.choice.hosts)
    machines.insert(network_.hosts()[host].machine);
  if (machines.size() < findings_.choice.hosts.size()) {
    model_.warnings.push_back({"shared_machine",
                               std::to_string(findings_.choice.hosts.size()) + " hosts are on " +
                                   std::to_string(machines.size()) +
                                   (machines.size() == 1 ? " machine" : " machines") +
                                   ": times hold for them together, not for hosts of their own",
                               {}});
  }
  for (const Segment& segment : model_.segments) {
    if (segment.confidence < kDoubtful) {
      model_.warnings.push_back({"doubtful",
                                 segment.name + ": observations did not agree on its hosts or "
                                                "kind; measure again when the network is quiet",
                                 segment.hosts});
    }
  }
  if (findings_.multicast_again && !findings_.multicast_again->lost.empty()) {
    std::set<std::string> deaf;
    for (const OneWay& way : findings_.multicast_again->lost)
      deaf.insert(network_.hosts()[way.to].name);
    model_.warnings.push_back(
        {"multicast_stops",
         "multicast worked at first and no longer after " +
             std::to_string(findings_.multicast_again->age_ns / 1'000'000'000) +
             " s: is there an IGMP querier?",
         {deaf.begin(), deaf.end()}});
  }
  model_.warnings.insert(model_.warnings.end(), findings_.left_out.begin(),
                         findings_.left_out.end());
  std::vector<std::string> unknown;
  for (const ModelHost& host : model_.hosts) {
    if (!host.from_host_bit_s || !host.to_host_bit_s) unknown.push_back(host.name);
  }
  if (!unknown.empty())
    model_.warnings.push_back(
        {"rate_unknown", "the rate of some cables could not be measured", unknown});
}

}  // namespace

std::vector<SegmentKind> kinds_of(const Findings& findings) {
  std::vector<SegmentKind> kinds;
  for (const HostSet& segment : findings.partition.segments) {
    const bool bus = std::any_of(findings.buses.begin(), findings.buses.end(),
                                 [&](const Bus& known) { return known.hosts == segment; });
    kinds.push_back(bus ? SegmentKind::bus : SegmentKind::switched);
  }
  return kinds;
}

void settle_bus_rates(const std::vector<Bus>& buses, std::vector<HostRates>& rates) {
  for (const Bus& bus : buses) {
    std::vector<Measured> carried;
    std::vector<Measured> taken;
    for (const HostIndex host : bus.hosts) {
      for (const auto& rate : {rates[host].out_bit_s, rates[host].in_bit_s}) {
        if (rate && std::isfinite(rate->high)) carried.push_back(*rate);
      }
      for (const auto& share : {rates[host].ambient_out_share, rates[host].ambient_in_share}) {
        if (share) taken.push_back(*share);
      }
    }
    std::vector<double> usuals;
    for (const HostIndex host : bus.hosts) {
      usuals.push_back(rates[host].usual_out_bit_s);
      usuals.push_back(rates[host].usual_in_bit_s);
    }
    const double usual = median(std::move(usuals));
    const MaybeMeasured rate = median_of(carried);
    const MaybeMeasured share = median_of(taken);
    for (const HostIndex host : bus.hosts) {
      rates[host].usual_out_bit_s = rates[host].usual_in_bit_s = usual;
      if (rate) rates[host].out_bit_s = rates[host].in_bit_s = rate;
      if (share) rates[host].ambient_out_share = rates[host].ambient_in_share = share;
    }
  }
}

void settle_cable_rates(const HostSet& hosts, const std::vector<HostRates>& near,
                        std::vector<HostRates>& rates) {
  using Rate = MaybeMeasured HostRates::*;
  using Usual = double HostRates::*;
  struct Way {
    Rate rate;
    Rate share;
    Usual usual;
  };
  constexpr double kNearlyTheSame = 0.75;
  constexpr double kTypical = 0.05;
  for (const Way& way :
       {Way{&HostRates::out_bit_s, &HostRates::ambient_out_share, &HostRates::usual_out_bit_s},
        Way{&HostRates::in_bit_s, &HostRates::ambient_in_share, &HostRates::usual_in_bit_s}}) {
    const auto is_limit = [](const MaybeMeasured& rate) {
      return rate && std::isfinite(rate->high);
    };
    std::vector<Measured> all;
    for (const HostIndex host : hosts) {
      for (const auto* found : {&near, &std::as_const(rates)}) {
        if ((*found)[host].*way.rate) all.push_back(*((*found)[host].*way.rate));
      }
    }
    const MaybeMeasured typical = median_of(all);
    const auto is_typical = [&](double bit_s) {
      return std::abs(bit_s - typical->value) <= kTypical * typical->value;
    };
    for (const HostIndex host : hosts) {
      HostRates& own = rates[host];
      const HostRates& again = near[host];
      own.*way.usual = std::max(own.*way.usual, again.*way.usual);
      if (!(again.*way.rate)) continue;
      const double first = own.*way.rate ? (own.*way.rate)->value : 0;
      const double second = (again.*way.rate)->value;
      const bool alike = std::min(first, second) > kNearlyTheSame * std::max(first, second);
      const bool nearer = std::abs(second - typical->value) <= std::abs(first - typical->value);
      // What is only a least says nothing against more.
      const bool one_is_misread = is_limit(own.*way.rate) && is_limit(again.*way.rate) &&
                                  (is_typical(first) || is_typical(second));
      const bool take = alike || one_is_misread ? nearer : second > first;
      if (!take) continue;
      own.*way.rate = again.*way.rate;
      own.*way.share = again.*way.share;
    }
  }
}

NetworkModel conclude(const Network& network, const Findings& findings) {
  return Conclusion(network, findings).model();
}

}  // namespace quadrille::probe
