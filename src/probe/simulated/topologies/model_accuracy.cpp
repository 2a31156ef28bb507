// SPDX-License-Identifier: BSD-3-Clause
// Compares segments by their hosts, hosts by name, trunks by how they part the hosts.
#include "probe/simulated/topologies/model_accuracy.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace quadrille::probe {
namespace {

using Names = std::vector<std::string>;

constexpr double kNotable = 0.1;  // errors above that are told

std::string list(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
  return "{" + text + "}";
}

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::string mbit(double bit_s) { return std::to_string(bit_s / 1e6) + " Mbit/s"; }

double error_of(const Measured& measured, double truth) {
  if (std::isinf(measured.high)) return std::max(0.0, measured.low / truth - 1);
  return std::abs(measured.value / truth - 1);
}

class Comparison {
 public:
  Comparison(const NetworkModel& model, const ExpectedNetwork& expected)
      : model_(model), expected_(expected) {}

  ModelAccuracy result() {
    compare_segments();
    compare_hosts();
    compare_trunks();
    return std::move(accuracy_);
  }

 private:
  void tell(const std::string& text) { accuracy_.differences.push_back(text); }

  void compare_segments() {
    accuracy_.partition_right = accuracy_.kinds_right = accuracy_.multicast_right = true;
    for (const auto& segment : expected_.segments) {
      const auto found =
          std::find_if(model_.segments.begin(), model_.segments.end(),
                       [&](const Segment& one) { return sorted(one.hosts) == segment.hosts; });
      if (found == model_.segments.end()) {
        accuracy_.partition_right = accuracy_.kinds_right = false;
        tell("segment " + segment.name + " " + list(segment.hosts) + " was not found");
      } else {
        compare(*found, segment);
      }
    }
    for (const auto& segment : model_.segments) {
      const Names hosts = sorted(segment.hosts);
      if (std::any_of(expected_.segments.begin(), expected_.segments.end(),
                      [&](const ExpectedSegment& one) { return one.hosts == hosts; })) {
        continue;
      }
      accuracy_.partition_right = false;
      tell("there is no segment " + list(hosts));
    }
  }

  void compare(const Segment& found, const ExpectedSegment& segment) {
    // One host alone shows no difference between a switch and a bus.
    if (found.kind != segment.kind && segment.hosts.size() > 1) {
      accuracy_.kinds_right = false;
      tell("segment " + segment.name + " " + list(segment.hosts) + " is taken for a " +
           (segment.kind == SegmentKind::bus ? "switch" : "bus"));
    }
    if (found.multicast && segment.hosts.size() > 1 && *found.multicast != segment.multicast) {
      accuracy_.multicast_right = false;
      tell("multicast in segment " + segment.name + " is wrong");
    }
    if (segment.kind == SegmentKind::bus && found.bus_rate_bit_s) {
      note_host_rate("bus " + segment.name, *found.bus_rate_bit_s, segment.bus_rate_bit_s);
    }
    if (!found.safe_burst_bytes || segment.buffer_bytes == 0) return;
    const double share = found.safe_burst_bytes->value / segment.buffer_bytes;
    const bool first = accuracy_.most_burst_share == 0;
    accuracy_.least_burst_share = first ? share : std::min(accuracy_.least_burst_share, share);
    accuracy_.most_burst_share = std::max(accuracy_.most_burst_share, share);
    if (share > 1 || share < 1 / 1.5) {
      tell("safe burst of segment " + segment.name + " is " + std::to_string(share) +
           " of its buffers");
    }
  }

  void note_host_rate(const std::string& what, const Measured& measured, double truth) {
    const double error = error_of(measured, truth);
    accuracy_.worst_host_rate_error = std::max(accuracy_.worst_host_rate_error, error);
    if (error > kNotable) tell(what + ": " + mbit(measured.value) + " instead of " + mbit(truth));
  }

  void compare_hosts() {
    for (const auto& truth : expected_.hosts) {
      const auto found = std::find_if(model_.hosts.begin(), model_.hosts.end(),
                                      [&](const ModelHost& one) { return one.name == truth.name; });
      if (found == model_.hosts.end()) {
        tell("host " + truth.name + " is missing");
        accuracy_.unknown_host_rates += 2;
        continue;
      }
      const auto note = [&](const MaybeMeasured& rate, double true_rate, const char* way) {
        if (rate) {
          note_host_rate(way + truth.name, *rate, true_rate);
        } else {
          ++accuracy_.unknown_host_rates;
        }
      };
      note(found->from_host_bit_s, truth.out_bit_s, "from ");
      note(found->to_host_bit_s, truth.in_bit_s, "to ");
    }
  }

  Names hosts_of(const std::set<std::string>& places) const {
    Names hosts;
    for (const auto& segment : model_.segments) {
      if (places.contains(segment.name)) {
        hosts.insert(hosts.end(), segment.hosts.begin(), segment.hosts.end());
      }
    }
    return sorted(hosts);
  }

  // Segments and junctions on the second end's side of a trunk.
  std::set<std::string> second_side_of(const Trunk& cut) const {
    std::set<std::string> inside{cut.second};
    for (bool grown = true; grown;) {
      grown = false;
      for (const auto& trunk : model_.trunks) {
        const bool other = &trunk != &cut;
        if (!other || inside.contains(trunk.first) == inside.contains(trunk.second)) continue;
        inside.insert(trunk.first);
        inside.insert(trunk.second);
        grown = true;
      }
    }
    return inside;
  }

  void note_trunk_rate(const Trunk& trunk, const MaybeMeasured& rate, double truth) {
    if (!rate || truth <= 0) return;
    const double error = error_of(*rate, truth);
    accuracy_.worst_trunk_rate_error = std::max(accuracy_.worst_trunk_rate_error, error);
    if (error > kNotable) {
      tell("trunk " + trunk.name + ": " + mbit(rate->value) + " instead of " + mbit(truth));
    }
  }

  void compare_trunks() {
    std::set<const ExpectedTrunk*> found;
    for (const auto& trunk : model_.trunks) {
      const Names second = hosts_of(second_side_of(trunk));
      const auto truth = std::find_if(
          expected_.trunks.begin(), expected_.trunks.end(), [&](const ExpectedTrunk& one) {
            return one.second_side == second || one.first_side == second;
          });
      if (truth == expected_.trunks.end()) {
        ++accuracy_.false_trunks;
        tell("no trunk parts " + list(second) + " from the others");
        continue;
      }
      found.insert(&*truth);
      const bool same = truth->second_side == second;
      note_trunk_rate(trunk, trunk.forward_bit_s,
                      same ? truth->forward_bit_s : truth->backward_bit_s);
      note_trunk_rate(trunk, trunk.backward_bit_s,
                      same ? truth->backward_bit_s : truth->forward_bit_s);
    }
    for (const auto& truth : expected_.trunks) {
      if (!truth.saturable || found.contains(&truth)) continue;
      ++accuracy_.missing_trunks;
      tell("the trunk between " + list(truth.second_side) + " and the others was not found");
    }
  }

  const NetworkModel& model_;
  const ExpectedNetwork& expected_;
  ModelAccuracy accuracy_;
};

}  // namespace

ModelAccuracy accuracy_of(const NetworkModel& model, const ExpectedNetwork& expected) {
  return Comparison(model, expected).result();
}

}  // namespace quadrille::probe
