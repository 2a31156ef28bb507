// SPDX-License-Identifier: BSD-3-Clause
#include "network/model/model_difference.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "network/model/model_cuts.h"

namespace quadrille {
namespace {

constexpr double kTolerance = 0.2;
constexpr double kFills = 1.2;  // of a trunk's rate: less may not show it
constexpr std::size_t kNamesShown = 4;

std::string rate_text(double bit_s) {
  std::string text(32, '\0');
  const bool giga = bit_s >= 1e9;
  const int length = std::snprintf(text.data(), text.size(), "%.3g %s", bit_s / (giga ? 1e9 : 1e6),
                                   giga ? "Gbit/s" : "Mbit/s");
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::string bytes_text(double bytes) {
  std::string text(32, '\0');
  const int length = std::snprintf(text.data(), text.size(), "%.3g KiB", bytes / 1024);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

bool apart(const Measured& one, const Measured& other) {
  const bool meet = one.low <= other.high && other.low <= one.high;
  const double larger = std::max(one.value, other.value);
  return !meet && larger - std::min(one.value, other.value) > kTolerance * larger;
}

// Sets of hosts hold indices into the expected model's hosts.
class ModelComparison {
 public:
  ModelComparison(const NetworkModel& expected, const NetworkModel& found)
      : expected_(expected), found_(found) {}

  std::vector<Difference> run() {
    match_hosts();
    compare_partition();
    compare_segments();
    compare_host_rates();
    compare_trunks();
    return std::move(differences_);
  }

 private:
  void note(std::string path, std::string expected, std::string found, std::string text,
            bool serious) {
    differences_.push_back(
        {std::move(path), std::move(expected), std::move(found), std::move(text), serious});
  }

  // Some of the hosts' names, for a sentence.
  std::string names(const HostSet& hosts) const {
    std::string text;
    std::size_t shown = 0;
    for (const auto host : hosts) {
      if (shown == kNamesShown)
        return text + " and " + std::to_string(hosts.size() - shown) + " more";
      text += (shown++ > 0 ? ", " : "") + expected_.hosts[host].name;
    }
    return text;
  }

  void match_hosts() {
    HostSet missing;
    for (std::uint32_t i = 0; i < expected_.hosts.size(); ++i) missing.insert(i);
    for (std::uint32_t i = 0; i < found_.hosts.size(); ++i) {
      const auto& host = found_.hosts[i];
      const auto index = hosts_of(expected_, {host.name});
      if (!index.ok() || expected_.hosts[index.value().front()].segment.empty()) {
        note("", "unknown", host.name, "host " + host.name + " is in no segment of the model",
             true);
        continue;
      }
      const auto known = index.value().front();
      missing.erase(known);
      if (host.segment.empty()) {
        note("hosts[" + std::to_string(known) + "].segment", expected_.hosts[known].segment,
             "unknown", "the segment of host " + host.name + " was not found", true);
        continue;
      }
      found_of_.emplace(known, i);
      known_segment_of_.emplace(host.segment, HostSet{}).first->second.insert(known);
    }
    if (missing.empty()) return;
    note("hosts", names(missing), "not measured",
         "not measured now, and not compared: " + names(missing), false);
  }

  void compare_partition() {
    std::map<std::string_view, HostSet> expected_in;
    for (const auto& [known, other] : found_of_)
      expected_in[expected_.hosts[known].segment].insert(known);
    for (const auto& segment : expected_.segments)
      expected_sets_.push_back(expected_in[segment.name]);
    for (const auto& segment : found_.segments)
      found_sets_.push_back(known_segment_of_[segment.name]);
    for (std::size_t i = 0; i < expected_sets_.size(); ++i) {
      std::vector<HostSet> parts = parts_of(expected_sets_[i], found_sets_);
      if (parts.size() < 2) continue;
      std::string text;
      for (const auto& part : parts) text += (text.empty() ? "" : " | ") + names(part);
      note("segments[" + std::to_string(i) + "].hosts", names(expected_sets_[i]), text,
           "hosts of one segment are now in " + std::to_string(parts.size()) + ": " + text, true);
    }
    for (const auto& together : found_sets_) {
      std::vector<HostSet> parts = parts_of(together, expected_sets_);
      if (parts.size() < 2) continue;
      std::string text;
      for (const auto& part : parts) text += (text.empty() ? "" : " | ") + names(part);
      const bool serious = can_be_told_apart(parts);
      note("segments", text, names(together),
           "hosts of " + std::to_string(parts.size()) + " segments " +
               (serious ? "are now in one: " : "cannot be told apart without the others: ") + text,
           serious);
    }
  }

  // What hosts that are measured now send through a trunk may be too little to fill it, where those
  // that are not measured had their part in that.
  bool can_fill(const Cut& cut, const CutRates& rates) const {
    if (found_of_.size() == expected_.hosts.size()) return true;
    const auto sum = [&](const HostSet& hosts, MaybeMeasured ModelHost::*rate) {
      double all = 0;
      for (const auto host : hosts) {
        const MaybeMeasured& known = expected_.hosts[host].*rate;
        all += known ? known->value : 0;
      }
      return all;
    };
    const auto fills = [&](const HostSet& from, const HostSet& to, const MaybeMeasured& rate) {
      const double offered =
          std::min(sum(from, &ModelHost::from_host_bit_s), sum(to, &ModelHost::to_host_bit_s));
      return rate && offered > kFills * rate->value;
    };
    return fills(cut.first, cut.second, rates.from_first_bit_s) ||
           fills(cut.second, cut.first, rates.from_second_bit_s);
  }

  bool can_be_told_apart(const std::vector<HostSet>& parts) const {
    const auto cuts = cuts_of(expected_, expected_sets_);
    return std::any_of(cuts.begin(), cuts.end(), [&](const auto& entry) {
      const auto& [cut, rates] = entry;
      const auto beyond = [&](const HostSet& part) { return cut.second.contains(*part.begin()); };
      const auto on_second = std::count_if(parts.begin(), parts.end(), beyond);
      return on_second > 0 && on_second < std::ssize(parts) && can_fill(cut, rates);
    });
  }

  static std::vector<HostSet> parts_of(const HostSet& whole, const std::vector<HostSet>& sets) {
    std::vector<HostSet> parts;
    for (const auto& set : sets) {
      HostSet part;
      std::set_intersection(whole.begin(), whole.end(), set.begin(), set.end(),
                            std::inserter(part, part.end()));
      if (!part.empty()) parts.push_back(std::move(part));
    }
    return parts;
  }

  // `safe_above`: more than expected is no danger, as for a burst; a host's rate is wrong both
  // ways.
  struct Quantity {
    std::string path;
    std::string what;
    std::string (*text)(double);
    bool safe_above = false;
  };

  void compare(const Quantity& quantity, const MaybeMeasured& expected,
               const MaybeMeasured& found) {
    if (!expected || !found || !apart(*expected, *found)) return;
    const auto before = quantity.text(expected->value);
    const auto now = quantity.text(found->value);
    note(quantity.path, before, now, quantity.what + " is " + now + ", was " + before,
         !quantity.safe_above || found->value < expected->value);
  }

  void compare_segments() {
    for (std::size_t i = 0; i < expected_sets_.size(); ++i) {
      if (expected_sets_[i].empty()) continue;
      const auto same = std::find(found_sets_.begin(), found_sets_.end(), expected_sets_[i]);
      if (same == found_sets_.end()) continue;
      compare_segment(i, found_.segments[static_cast<std::size_t>(same - found_sets_.begin())]);
    }
  }

  void compare_segment(std::size_t index, const Segment& found) {
    const Segment& expected = expected_.segments[index];
    const std::string path = "segments[" + std::to_string(index) + "]";
    const std::string what = "segment of " + names(expected_sets_[index]);
    // What is switch or bus cannot be told of a single host.
    if (expected.kind != found.kind && expected_sets_[index].size() > 1) {
      const auto word = [](SegmentKind kind) {
        return std::string(kind == SegmentKind::bus ? "bus" : "switch");
      };
      note(path + ".kind", word(expected.kind), word(found.kind),
           what + " is a " + word(found.kind) + ", was a " + word(expected.kind), true);
    } else {
      compare({path + ".bus_rate_bit_s", "rate of the bus, " + what + ",", rate_text},
              expected.bus_rate_bit_s, found.bus_rate_bit_s);
    }
    compare({path + ".safe_burst_bytes", "safe burst in the " + what, bytes_text, true},
            expected.safe_burst_bytes, found.safe_burst_bytes);
    compare({path + ".safe_burst_all_ports_bytes", "safe burst at all ports of the " + what,
             bytes_text, true},
            expected.safe_burst_all_ports_bytes, found.safe_burst_all_ports_bytes);
    if (expected.lossless.value_or(false) && !found.lossless.value_or(true))
      note(path + ".lossless", "true", "false", "frames are lost now in the " + what, true);
    compare_multicast(path, what, expected, found);
  }

  void compare_multicast(const std::string& path, const std::string& what, const Segment& expected,
                         const Segment& found) {
    if (!expected.multicast || !found.multicast) return;
    if (*expected.multicast != *found.multicast) {
      const auto word = [](bool fact) { return std::string(fact ? "true" : "false"); };
      note(path + ".multicast", word(*expected.multicast), word(*found.multicast),
           std::string("multicast ") + (*found.multicast ? "reaches" : "no longer reaches") +
               " every host of the " + what,
           *expected.multicast);
    } else {
      compare({path + ".multicast_bit_s", "multicast rate in the " + what, rate_text, true},
              expected.multicast_bit_s, found.multicast_bit_s);
    }
  }

  void compare_host_rates() {
    for (const auto& [index, other] : found_of_) {
      const auto& expected = expected_.hosts[index];
      const auto& found = found_.hosts[other];
      const std::string path = "hosts[" + std::to_string(index) + "].";
      compare({path + "from_host_bit_s", "rate from host " + expected.name, rate_text},
              expected.from_host_bit_s, found.from_host_bit_s);
      compare({path + "to_host_bit_s", "rate to host " + expected.name, rate_text},
              expected.to_host_bit_s, found.to_host_bit_s);
    }
  }

  // Only where the segments are the same: otherwise what the trunks divide is not comparable.
  void compare_trunks() {
    if (found_.trunks.empty() && found_.provenance.mode == "quick") return;  // it does not look
    std::set<HostSet> before(expected_sets_.begin(), expected_sets_.end());
    std::set<HostSet> now(found_sets_.begin(), found_sets_.end());
    before.erase(HostSet{});
    now.erase(HostSet{});
    if (before != now) return;
    const auto expected = cuts_of(expected_, expected_sets_);
    const auto found = cuts_of(found_, found_sets_);
    for (const auto& [cut, rates] : expected) {
      const std::string path = "trunks[" + std::to_string(rates.trunk) + "]";
      if (const auto same = found.find(cut); same != found.end()) {
        compare_trunk(rates, same->second);
      } else {
        const auto ends = names(cut.first) + " and " + names(cut.second);
        note(path, ends, "not found", "the trunk between " + ends + " was not found",
             can_fill(cut, rates));
      }
    }
    for (const auto& [cut, rates] : found) {
      if (expected.contains(cut)) continue;
      const auto ends = names(cut.first) + " and " + names(cut.second);
      note("", "none", ends, "a trunk between " + ends + " is not in the model", true);
    }
  }

  void compare_trunk(const CutRates& expected, const CutRates& found) {
    const Trunk& trunk = expected_.trunks[expected.trunk];
    const std::string path = "trunks[" + std::to_string(expected.trunk) + "].";
    const char* forward = "forward_bit_s";
    const char* backward = "backward_bit_s";
    const std::string there =
        "rate of trunk " + trunk.name + " from " + trunk.first + " to " + trunk.second;
    const std::string back =
        "rate of trunk " + trunk.name + " from " + trunk.second + " to " + trunk.first;
    compare(
        {path + (expected.turned ? backward : forward), expected.turned ? back : there, rate_text},
        expected.from_first_bit_s, found.from_first_bit_s);
    compare(
        {path + (expected.turned ? forward : backward), expected.turned ? there : back, rate_text},
        expected.from_second_bit_s, found.from_second_bit_s);
  }

  const NetworkModel& expected_;
  const NetworkModel& found_;
  std::vector<Difference> differences_;
  std::map<std::string_view, HostSet> known_segment_of_;  // found segment: its compared hosts
  std::map<std::uint32_t, std::uint32_t> found_of_;       // expected index: found index
  std::vector<HostSet> expected_sets_;                    // [segments] compared hosts
  std::vector<HostSet> found_sets_;
};

}  // namespace

std::vector<Difference> compare_models(const NetworkModel& expected, const NetworkModel& found) {
  return ModelComparison(expected, found).run();
}

bool any_serious(const std::vector<Difference>& differences) {
  return std::any_of(differences.begin(), differences.end(),
                     [](const Difference& difference) { return difference.serious; });
}

std::vector<Difference> seen_in_both(const std::vector<Difference>& first,
                                     std::vector<Difference> second) {
  std::erase_if(second, [&](const Difference& now) {
    return std::none_of(first.begin(), first.end(), [&](const Difference& before) {
      return now.path.empty() ? now.text == before.text : now.path == before.path;
    });
  });
  return second;
}

}  // namespace quadrille
