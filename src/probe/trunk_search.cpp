// SPDX-License-Identifier: BSD-3-Clause
// Each segment is loaded towards all others, which tells what leaves it and what enters it. Then
// pairs and larger unions: where less crosses than its members' own trunks would bring, they share
// one.
#include "probe/trunk_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "probe/loads.h"
#include "probe/segments.h"
#include "probe/view_clusters.h"

namespace quadrille::probe {
namespace {

constexpr double kSharesTrunk = 0.8;          // of what would cross without a shared trunk
constexpr double kFillsBus = 0.9;             // of what it carries
constexpr std::size_t kAllPairsSegments = 6;  // up to here every pair is tested
constexpr std::size_t kMostUnions = 18;
constexpr std::size_t kFewSegments = 4;  // up to here each one's own trunk is measured twice
constexpr double kEndless = std::numeric_limits<double>::infinity();

class Search {
 public:
  Search(LoadedViews& views, const std::vector<HostSet>& segments,
         const std::vector<SegmentKind>& kinds)
      : views_(views), segments_(segments), kinds_(kinds), alone_(quiet(views.cables())) {
    for (std::size_t segment = 0; segment < segments.size(); ++segment) {
      for (const HostIndex host : segments[segment]) {
        if (segment_of_.size() <= host) segment_of_.resize(host + 1, segments.size());
        segment_of_[host] = segment;
      }
    }
  }

  Result<std::vector<TreeNode>> run(const std::vector<HostSet>& proven);

 private:
  Result<Cut> best_cut(std::size_t segment);
  Result<bool> measure_own();
  Result<bool> measure_below();
  std::vector<std::size_t> neighbourhood(std::size_t segment) const;
  Result<bool> test_union(const std::vector<std::size_t>& parts);
  Result<std::vector<std::vector<std::size_t>>> candidates(const std::vector<HostSet>& proven);
  void add_as_union(const HostSet& hosts, std::vector<std::vector<std::size_t>>& unions) const;
  HostSet hosts_of(const std::vector<std::size_t>& parts) const;
  double expected_bit_s(const std::vector<Flow>& flows) const;
  double limit(std::size_t segment, bool out) const;
  bool fills_bus(const HostSet& bus, const CutDirection& direction) const;

  LoadedViews& views_;
  const std::vector<HostSet>& segments_;
  const std::vector<SegmentKind>& kinds_;
  bool alone_;                           // nobody else was seen to use the network
  std::vector<std::size_t> segment_of_;  // [hosts]
  std::vector<SplitRates> own_;
  std::vector<Split> joint_;
};

// What crossed in one direction: measured where something was full, else at least what arrived.
// Where others use the network too, they may have had up to half of it: how much of a trunk is
// theirs is not known.
void fill_rate(const CutDirection& direction, bool alone, MaybeMeasured& rate,
               MaybeMeasured& buffer) {
  const double carried = direction.carried_bit_s;
  if (direction.arrived_bit_s <= 0) return;
  if (!direction.full) {
    rate = Measured{carried, carried * 0.95, kEndless};
    return;
  }
  rate = Measured{carried, carried * 0.95, alone ? carried * 1.05 : carried * 2};
  if (direction.wait_ns && alone) {
    const double bytes = direction.wait_ns->value * rate->value / 8e9;
    buffer = Measured{bytes, bytes * 0.8, bytes * 1.2};
  }
}

SplitRates rates_of(const Cut& cut, bool alone) {
  SplitRates rates;
  rates.full = cut.out.full || cut.in.full;
  fill_rate(cut.out, alone, rates.out_bit_s, rates.out_buffer_bytes);
  fill_rate(cut.in, alone, rates.in_bit_s, rates.in_buffer_bytes);
  return rates;
}

void open_end(MaybeMeasured& rate, MaybeMeasured& buffer) {
  if (rate) rate->high = kEndless;
  buffer.reset();
}

bool is_told(const MaybeMeasured& rate) { return rate && !std::isinf(rate->high); }

// What arrives only ever falls short, so the higher rate is nearer to the truth; but of two that
// are about alike, the one where something was full.
constexpr double kClearlyMore = 1.05;

void take_faster(const MaybeMeasured& rate, const MaybeMeasured& buffer, MaybeMeasured& best,
                 MaybeMeasured& best_buffer) {
  if (!rate) return;
  const double more = is_told(best) && !is_told(rate) ? kClearlyMore : 1;
  if (best && rate->value <= more * best->value) return;
  best = rate;
  best_buffer = buffer;
}

// The free rate of what is full; endless where nothing was.
double Search::limit(std::size_t segment, bool out) const {
  const SplitRates& rates = own_[segment];
  const auto& rate = out ? rates.out_bit_s : rates.in_bit_s;
  if (!rate || std::isinf(rate->high)) return kEndless;
  return rate->value;
}

// What arrives only ever falls short: a host that was held up, or others' traffic, takes from it.
// The first time some of the others stay idle; all of them may be needed to fill what is between.
Result<Cut> Search::best_cut(std::size_t segment) {
  CutOptions options{.gentle = kinds_[segment] == SegmentKind::bus};
  auto best = load_cut(views_, segments_[segment], options);
  if (segments_.size() > kFewSegments) return best;
  if (!options.gentle) options.against = others(views_.hosts(), segments_[segment]);
  const auto other = load_cut(views_, segments_[segment], options);
  if (!best.ok() || !other.ok()) return best.ok() ? other : best;
  for (CutDirection Cut::*direction : {&Cut::out, &Cut::in}) {
    const CutDirection& again = other.value().*direction;
    CutDirection& found = best.value().*direction;
    const double more = found.full && !again.full ? kClearlyMore : 1;
    if (again.carried_bit_s > more * found.carried_bit_s) found = again;
  }
  return best;
}

Result<bool> Search::measure_own() {
  own_.resize(segments_.size());
  for (std::size_t segment = 0; segment < segments_.size(); ++segment) {
    const auto cut = best_cut(segment);
    if (!cut.ok()) return cut.error();
    own_[segment] = rates_of(cut.value(), alone_);
    if (kinds_[segment] != SegmentKind::bus) continue;
    const auto inwards = load_cut(views_, segments_[segment], {.gentle = true, .inwards = true});
    if (!inwards.ok()) return inwards.error();
    SplitRates& rates = own_[segment];
    rates.full = true;
    const SplitRates entering = rates_of(inwards.value(), alone_);
    rates.in_bit_s = entering.in_bit_s;
    rates.in_buffer_bytes = entering.in_buffer_bytes;
    if (fills_bus(segments_[segment], cut.value().out))
      open_end(rates.out_bit_s, rates.out_buffer_bytes);
    if (fills_bus(segments_[segment], inwards.value().in))
      open_end(rates.in_bit_s, rates.in_buffer_bytes);
  }
  return true;
}

// Whether a bus carried all it can, light datagrams among its own hosts included: then the way
// between it and the others has at least what crossed. Whether others pass through a bus cannot be
// seen: none is taken to be in the middle.
bool Search::fills_bus(const HostSet& bus, const CutDirection& direction) const {
  double carries = 0;
  for (const HostIndex host : bus)
    carries = std::max(carries, views_.cables()[host].free_out_bit_s());
  return direction.inside_bit_s >= kFillsBus * carries;
}

HostSet Search::hosts_of(const std::vector<std::size_t>& parts) const {
  HostSet hosts;
  for (const std::size_t part : parts)
    hosts.insert(hosts.end(), segments_[part].begin(), segments_[part].end());
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

// What of `flows` would arrive if each segment's own limits were the only ones.
double Search::expected_bit_s(const std::vector<Flow>& flows) const {
  std::vector<double> leaving(segments_.size());
  for (const Flow& flow : flows) leaving[segment_of_[flow.from]] += flow.rate_bit_s;
  std::vector<double> entering(segments_.size());
  for (const Flow& flow : flows) {
    const std::size_t from = segment_of_[flow.from];
    entering[segment_of_[flow.to]] +=
        flow.rate_bit_s * std::min(1.0, limit(from, true) / leaving[from]);
  }
  double sum = 0;
  for (std::size_t segment = 0; segment < segments_.size(); ++segment)
    sum += std::min(entering[segment], limit(segment, false));
  return sum;
}

Result<bool> Search::test_union(const std::vector<std::size_t>& parts) {
  const HostSet inside = hosts_of(parts);
  const HostSet outside = others(views_.setting().hosts, inside);
  Load load{.purpose = "whether " + std::to_string(parts.size()) + " segments share a trunk",
            .flows = {},
            .duration_ns = 140'000'000,
            .landmarks = {outside.front()}};
  const auto outward = crossing_flows(inside, views_.rates(), outside, views_.rates(), kEndless);
  const auto inward = crossing_flows(outside, views_.rates(), inside, views_.rates(), kEndless);
  SplitRates rates;
  bool shared = false;
  for (const bool out : {true, false}) {
    load.flows = out ? outward : inward;
    const auto view = views_.observe(load);
    if (!view.ok()) return view.error();
    CutDirection direction;
    direction.arrived_bit_s = arrived_together_bit_s(view.value().flows);
    direction.carried_bit_s =
        direction.arrived_bit_s +
        light_bit_s(view.value(), out ? inside : outside, out ? outside : inside);
    direction.full = direction.arrived_bit_s < kSharesTrunk * expected_bit_s(load.flows);
    shared = shared || direction.full;
    fill_rate(direction, alone_, out ? rates.out_bit_s : rates.in_bit_s,
              out ? rates.out_buffer_bytes : rates.in_buffer_bytes);
    // Without a sign outwards, the way inwards is no trunk of these either.
    if (out && !shared) return false;
  }
  rates.full = true;
  joint_.push_back({parts, rates});
  return true;
}

void Search::add_as_union(const HostSet& hosts,
                          std::vector<std::vector<std::size_t>>& unions) const {
  std::vector<std::size_t> parts;
  for (std::size_t segment = 0; segment < segments_.size(); ++segment) {
    if (std::includes(hosts.begin(), hosts.end(), segments_[segment].begin(),
                      segments_[segment].end()))
      parts.push_back(segment);
  }
  if (parts.size() < 2 || parts.size() + 1 >= segments_.size() || hosts_of(parts) != hosts) return;
  std::vector<std::size_t> rest;
  for (std::size_t segment = 0; segment < segments_.size(); ++segment) {
    if (!std::binary_search(parts.begin(), parts.end(), segment)) rest.push_back(segment);
  }
  const auto known = [&](const std::vector<std::size_t>& set) {
    return std::find(unions.begin(), unions.end(), set) != unions.end();
  };
  if (!known(parts) && !known(rest)) unions.push_back(parts);
}

Result<std::vector<std::vector<std::size_t>>> Search::candidates(
    const std::vector<HostSet>& proven) {
  std::vector<std::vector<std::size_t>> unions;
  if (segments_.size() <= 3) return unions;
  for (const HostSet& set : proven) add_as_union(set, unions);
  if (segments_.size() <= kAllPairsSegments) {
    for (std::size_t one = 0; one < segments_.size(); ++one) {
      for (std::size_t other = one + 1; other < segments_.size(); ++other)
        add_as_union(hosts_of({one, other}), unions);
    }
    return unions;
  }
  // Too many pairs: those that look alike from outside while everything is loaded.
  HostSet order = views_.setting().hosts;
  std::shuffle(order.begin(), order.end(), views_.setting().chance);
  const auto view = views_.observe({.purpose = "which segments look alike",
                                    .flows = shifted_flows(order, 1, views_.rates(), kCableShare),
                                    .duration_ns = 160'000'000,
                                    .landmarks = {}});
  if (!view.ok()) return view.error();
  for (const double difference : {0.2, 0.3, 0.4, 0.5}) {
    for (const HostSet& cluster :
         view_clusters(views_, view.value(), views_.setting().hosts, difference))
      add_as_union(cluster, unions);
  }
  return unions;
}

// The smaller side of a shared trunk that `segment` is behind with others; empty where there is
// none.
std::vector<std::size_t> Search::neighbourhood(std::size_t segment) const {
  std::vector<std::size_t> smallest;
  for (const Split& split : joint_) {
    std::vector<std::size_t> side = split.segments;
    if (!std::binary_search(side.begin(), side.end(), segment)) {
      side.clear();
      for (std::size_t other = 0; other < segments_.size(); ++other) {
        if (!std::binary_search(split.segments.begin(), split.segments.end(), other))
          side.push_back(other);
      }
    }
    if (side.size() > 1 && (smallest.empty() || side.size() < smallest.size())) smallest = side;
  }
  return smallest;
}

// Behind a shared trunk, a segment's load towards all others may have filled that one, not its own:
// what crosses towards its neighbours before it tells what its own carries.
Result<bool> Search::measure_below() {
  for (std::size_t segment = 0; segment < segments_.size(); ++segment) {
    const auto side = neighbourhood(segment);
    if (side.empty() || kinds_[segment] == SegmentKind::bus) continue;
    const HostSet against = others(hosts_of(side), segments_[segment]);
    const auto cut = load_cut(views_, segments_[segment], {.against = against});
    if (!cut.ok()) return cut.error();
    const SplitRates found = rates_of(cut.value(), alone_);
    SplitRates& own = own_[segment];
    take_faster(found.out_bit_s, found.out_buffer_bytes, own.out_bit_s, own.out_buffer_bytes);
    take_faster(found.in_bit_s, found.in_buffer_bytes, own.in_bit_s, own.in_buffer_bytes);
    own.full = is_told(own.out_bit_s) || is_told(own.in_bit_s);
  }
  return true;
}

Result<std::vector<TreeNode>> Search::run(const std::vector<HostSet>& proven) {
  if (segments_.size() < 2) return arrange_trunks(std::vector<SplitRates>(1), {});
  if (const auto measured = measure_own(); !measured.ok()) return measured.error();
  auto unions = candidates(proven);
  if (!unions.ok()) return unions.error();
  for (std::size_t at = 0; at < std::min(unions.value().size(), kMostUnions); ++at) {
    if (const auto tested = test_union(unions.value()[at]); !tested.ok()) return tested.error();
  }
  if (const auto measured = measure_below(); !measured.ok()) return measured.error();
  return arrange_trunks(own_, joint_);
}

}  // namespace

Result<std::vector<TreeNode>> find_trunks(LoadedViews& views, const std::vector<HostSet>& segments,
                                          const std::vector<SegmentKind>& kinds,
                                          const std::vector<HostSet>& proven) {
  return Search(views, segments, kinds).run(proven);
}

}  // namespace quadrille::probe
