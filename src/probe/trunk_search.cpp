// SPDX-License-Identifier: BSD-3-Clause
// Each segment is loaded towards all others, which tells what leaves it and what enters it. Then
// pairs and larger unions: where less crosses than its members' own trunks would bring, they share
// one.
#include "probe/trunk_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "probe/beside_others.h"
#include "probe/loads.h"
#include "probe/segments.h"
#include "probe/view_clusters.h"

namespace quadrille::probe {
namespace {

constexpr double kSharesTrunk = 0.87;          // of what would cross without a shared trunk
constexpr double kFillsBus = 0.9;              // of what it carries
constexpr double kWeakLoad = 0.95;             // of what a strong one brought through
constexpr std::size_t kAllUnionsSegments = 6;  // up to here all are tested
constexpr std::size_t kMostUnions = 32;
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
  // Of a union of segments, outwards and inwards.
  struct UnionTest {
    Split split;
    std::vector<Flow> flows[2];
    double arrived_bit_s[2] = {0, 0};
  };
  struct Expected {
    double leaving_bit_s = 0;
    double arriving_bit_s = 0;
  };

  Result<Cut> best_cut(std::size_t segment);
  std::vector<std::size_t> slow_ones_first() const;
  Result<bool> measure_own();
  Result<bool> see_others_at(std::size_t segment, const HostSet& against, const Cut& strong,
                             SplitRates& rates);
  Result<bool> measure_below();
  Split neighbourhood(std::size_t segment) const;
  Result<std::optional<UnionTest>> test_union(const std::vector<std::size_t>& parts);
  Result<std::vector<std::vector<std::size_t>>> candidates(const std::vector<HostSet>& proven);
  void add_as_union(const HostSet& hosts, std::vector<std::vector<std::size_t>>& unions) const;
  HostSet hosts_of(const std::vector<std::size_t>& parts) const;
  Expected expected(std::vector<Flow> flows) const;
  void pass(const Split& split, bool out, std::vector<Flow>& flows) const;
  std::vector<Flow> as_trunks_allow(std::vector<Flow> flows) const;
  double unexplained(const UnionTest& test) const;
  Result<bool> find_joint(std::vector<std::vector<std::size_t>> unions);
  Result<CutDirection> load_across(const HostSet& from, const HostSet& to, double most_bit_s,
                                   std::vector<Flow>& flows, double& between_bit_s);
  double arrived_between_bit_s(const std::vector<FlowOutcome>& flows) const;
  double through(std::size_t segment, bool out, double offered_bit_s) const;
  bool fills_bus(const HostSet& bus, const CutDirection& direction) const;

  LoadedViews& views_;
  const std::vector<HostSet>& segments_;
  const std::vector<SegmentKind>& kinds_;
  bool alone_;                           // nobody else was seen to use the network
  std::vector<std::size_t> segment_of_;  // [hosts]
  std::vector<SplitRates> own_;
  std::vector<Split> joint_;
  std::vector<HostSet> alike_;  // from elsewhere, while one segment was loaded
};

// What crossed in one direction: measured where something was full, else at least what arrived.
// Where others use the network too, they may have had up to half of it.
Crossing crossing_of(const CutDirection& direction, bool alone) {
  const double carried = direction.carried_bit_s;
  if (direction.arrived_bit_s <= 0) return {};
  const double most = !direction.full ? kEndless : alone ? carried * 1.05 : carried * 2;
  Crossing crossing;
  crossing.bit_s = Measured{carried, carried * 0.95, most};
  if (direction.full && direction.wait_ns && alone) {
    const double bytes = direction.wait_ns->value * carried / 8e9;
    crossing.buffer_bytes = Measured{bytes, bytes * 0.8, bytes * 1.2};
  }
  return crossing;
}

SplitRates rates_of(const Cut& cut, bool alone) {
  return {cut.out.full || cut.in.full, crossing_of(cut.out, alone), crossing_of(cut.in, alone)};
}

// Light datagrams among what was offered came through like the rest of it.
Passage passage_of(const CutDirection& direction) {
  const double through = direction.arrived_bit_s / direction.offered_bit_s;
  return {direction.carried_bit_s / through, direction.carried_bit_s};
}

void see_others(const CutDirection& strong, const CutDirection& weak, Crossing& crossing) {
  if (!strong.full || !crossing.bit_s || weak.arrived_bit_s <= 0) return;
  const auto found = link_beside_others(passage_of(strong), passage_of(weak));
  if (!found) return;
  // Of several full links on the way each takes its part: they look like a narrower one, which
  // others have less of.
  const double high = std::max(found->bit_s.high, crossing.bit_s->high);
  const double most_share = 1 - strong.carried_bit_s / high;
  crossing.bit_s = Measured{found->bit_s.value, strong.carried_bit_s * 0.95, high};
  crossing.ambient_share = found->ambient_share;
  crossing.ambient_share->high = std::max(crossing.ambient_share->high, most_share);
}

void open_end(Crossing& crossing) {
  if (crossing.bit_s) crossing.bit_s->high = kEndless;
  crossing.buffer_bytes.reset();
}

// Whether what crossed is all that the trunk behind it carries.
bool fills(const Crossing& crossing, const Crossing& behind) {
  constexpr double kNearlyAll = 0.93;
  return crossing.bit_s && behind.bit_s && crossing.bit_s->value > kNearlyAll * behind.bit_s->value;
}

bool is_told(const MaybeMeasured& rate) { return rate && !std::isinf(rate->high); }

// What arrives only ever falls short, so of two rates the higher is nearer to the truth; but of two
// that are about alike, the one where something was full.
bool is_nearer(double bit_s, bool told, double than_bit_s, bool that_is_told) {
  constexpr double kClearlyMore = 1.05;
  return bit_s > (that_is_told && !told ? kClearlyMore : 1) * than_bit_s;
}

void take_nearer(const Crossing& crossing, Crossing& best) {
  const MaybeMeasured& rate = crossing.bit_s;
  if (!rate) return;
  if (!best.bit_s || is_nearer(rate->value, is_told(rate), best.bit_s->value, is_told(best.bit_s)))
    best = crossing;
}

HostSet joined(const HostSet& one, const HostSet& other) {
  HostSet both;
  std::ranges::set_union(one, other, std::back_inserter(both));
  return both;
}

double through(const Crossing& crossing, double offered_bit_s) {
  const auto& [rate, buffer, others] = crossing;
  if (!is_told(rate)) return offered_bit_s;
  const double others_bit_s = others ? others->value * rate->value : 0;
  return offered_bit_s * std::min(1.0, rate->value / (offered_bit_s + others_bit_s));
}

// What of `offered_bit_s` gets through a segment's own trunk.
double Search::through(std::size_t segment, bool out, double offered_bit_s) const {
  return probe::through(out ? own_[segment].out : own_[segment].in, offered_bit_s);
}

// What arrives only ever falls short: a host that was held up, or others' traffic, takes from it.
// The first time some of the others stay idle; all of them may be needed to fill what is between.
Result<Cut> Search::best_cut(std::size_t segment) {
  CutOptions options{.gentle = kinds_[segment] == SegmentKind::bus};
  if (segments_.size() > kFewSegments)
    options.most_bit_s = kKeepsFull * views_.crossing_bit_s(segments_[segment]);
  if (alone_)
    options.worth = [this](std::vector<Flow> flows) { return as_trunks_allow(std::move(flows)); };
  auto best = load_cut(views_, segments_[segment], options);
  if (segments_.size() > kFewSegments) return best;
  if (!options.gentle) options.against = others(views_.hosts(), segments_[segment]);
  const auto other = load_cut(views_, segments_[segment], options);
  if (!best.ok() || !other.ok()) return best.ok() ? other : best;
  for (CutDirection Cut::*direction : {&Cut::out, &Cut::in}) {
    const CutDirection& again = other.value().*direction;
    CutDirection& found = best.value().*direction;
    if (is_nearer(again.carried_bit_s, again.full, found.carried_bit_s, found.full)) found = again;
  }
  return best;
}

// What fast hosts send to others would fill trunks that are not known to be slow.
std::vector<std::size_t> Search::slow_ones_first() const {
  std::vector<std::size_t> order(segments_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t segment) {
    const HostSet& hosts = segments_[segment];
    return std::min(sum_free_out(hosts, views_.rates()), views_.crossing_bit_s(hosts));
  });
  return order;
}

Result<bool> Search::measure_own() {
  own_.resize(segments_.size());
  for (const std::size_t segment : slow_ones_first()) {
    const auto cut = best_cut(segment);
    if (!cut.ok()) return cut.error();
    own_[segment] = rates_of(cut.value(), alone_);
    for (HostSet& alike : view_clusters(views_, cut.value().view, views_.hosts()))
      alike_.push_back(std::move(alike));
    if (kinds_[segment] != SegmentKind::bus) {
      const auto seen = see_others_at(segment, {}, cut.value(), own_[segment]);
      if (!seen.ok()) return seen.error();
      continue;
    }
    const auto inwards = load_cut(views_, segments_[segment], {.gentle = true, .inwards = true});
    if (!inwards.ok()) return inwards.error();
    SplitRates& rates = own_[segment];
    rates.full = true;
    rates.in = crossing_of(inwards.value().in, alone_);
    if (fills_bus(segments_[segment], cut.value().out)) open_end(rates.out);
    if (fills_bus(segments_[segment], inwards.value().in)) open_end(rates.in);
  }
  return true;
}

// Where others use the network too, what is full is loaded once more, just enough to stay full
// beside them: what both loads carried tells what it carries in all and what others have.
Result<bool> Search::see_others_at(std::size_t segment, const HostSet& against, const Cut& strong,
                                   SplitRates& rates) {
  if (alone_ || !rates.full) return true;
  const double carried = std::max(strong.out.carried_bit_s, strong.in.carried_bit_s);
  const auto weak =
      load_cut(views_, segments_[segment], {.against = against, .most_bit_s = kWeakLoad * carried});
  if (!weak.ok()) return weak.error();
  see_others(strong.out, weak.value().out, rates.out);
  see_others(strong.in, weak.value().in, rates.in);
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

// What of `flows` leaves the segments, and what of it would arrive, if their own trunks were the
// only limits.
Search::Expected Search::expected(std::vector<Flow> flows) const {
  std::vector<double> leaving(segments_.size());
  for (const Flow& flow : flows) leaving[segment_of_[flow.from]] += flow.rate_bit_s;
  Expected expected;
  for (std::size_t segment = 0; segment < segments_.size(); ++segment)
    expected.leaving_bit_s += through(segment, true, leaving[segment]);
  for (Flow& flow : flows) {
    const std::size_t from = segment_of_[flow.from];
    flow.rate_bit_s *= through(from, true, leaving[from]) / leaving[from];
  }
  for (const Split& split : joint_) {
    pass(split, true, flows);
    pass(split, false, flows);
  }
  std::vector<double> entering(segments_.size());
  for (const Flow& flow : flows) entering[segment_of_[flow.to]] += flow.rate_bit_s;
  for (std::size_t segment = 0; segment < segments_.size(); ++segment)
    expected.arriving_bit_s += through(segment, false, entering[segment]);
  return expected;
}

// What of `flows` gets through a trunk that several segments share.
void Search::pass(const Split& split, bool out, std::vector<Flow>& flows) const {
  const Crossing& crossing = out ? split.rates.out : split.rates.in;
  if (!is_told(crossing.bit_s)) return;
  const auto is_inside = [&](HostIndex host) {
    return std::ranges::binary_search(split.segments, segment_of_[host]);
  };
  const auto crosses = [&](const Flow& flow) {
    return is_inside(flow.from) == out && is_inside(flow.to) != out;
  };
  double all = 0;
  for (const Flow& flow : flows) all += crosses(flow) ? flow.rate_bit_s : 0;
  const double share = probe::through(crossing, all) / std::max(all, 1.0);
  for (Flow& flow : flows) flow.rate_bit_s *= crosses(flow) ? share : 1;
}

// `flows`, thinner where a segment's own trunk would only have to hold them up.
std::vector<Flow> Search::as_trunks_allow(std::vector<Flow> flows) const {
  for (const bool out : {true, false}) {
    const auto segment_of = [&](const Flow& flow) {
      return segment_of_[out ? flow.from : flow.to];
    };
    std::vector<double> crossing(segments_.size());
    for (const Flow& flow : flows) crossing[segment_of(flow)] += flow.rate_bit_s;
    for (Flow& flow : flows) {
      const double all = crossing[segment_of(flow)];
      flow.rate_bit_s *= std::min(1.0, kKeepsFull * through(segment_of(flow), out, all) / all);
    }
  }
  return flows;
}

// Of each pair of segments over the time that its own flows took: where one's trunk still empties
// its queue, the others have ended.
double Search::arrived_between_bit_s(const std::vector<FlowOutcome>& flows) const {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<FlowOutcome>> between;
  for (const FlowOutcome& outcome : flows)
    between[{segment_of_[outcome.flow.from], segment_of_[outcome.flow.to]}].push_back(outcome);
  double sum = 0;
  for (const auto& [ways, some] : between) sum += arrived_together_bit_s(some);
  return sum;
}

Result<CutDirection> Search::load_across(const HostSet& from, const HostSet& to, double most_bit_s,
                                         std::vector<Flow>& flows, double& between_bit_s) {
  flows = as_trunks_allow(crossing_flows(from, views_.rates(), to, views_.rates(), most_bit_s));
  const auto view = views_.observe({.purpose = "whether segments share a trunk",
                                    .flows = flows,
                                    .duration_ns = 70 * kMillisecond,
                                    .landmarks = {to.front()}});
  if (!view.ok()) return view.error();
  const Expected expect = expected(flows);
  CutDirection direction;
  direction.offered_bit_s = expect.leaving_bit_s;
  direction.arrived_bit_s = arrived_together_bit_s(view.value().flows);
  direction.carried_bit_s = direction.arrived_bit_s + light_bit_s(view.value(), from, to);
  direction.full = arrived_between_bit_s(view.value().flows) < kSharesTrunk * expect.arriving_bit_s;
  between_bit_s = arrived_between_bit_s(view.value().flows);
  return direction;
}

Result<std::optional<Search::UnionTest>> Search::test_union(const std::vector<std::size_t>& parts) {
  const HostSet inside = hosts_of(parts);
  const HostSet outside = others(views_.setting().hosts, inside);
  UnionTest test;
  test.split.segments = parts;
  test.split.rates.full = true;
  for (const bool out : {true, false}) {
    const HostSet& from = out ? inside : outside;
    const HostSet& to = out ? outside : inside;
    std::vector<Flow> flows;
    double between = 0;
    const auto strong = load_across(from, to, kEndless, flows, between);
    if (!strong.ok()) return strong.error();
    const CutDirection& found = strong.value();
    // Without a sign outwards, the way inwards is no trunk of these either.
    if (out && !found.full) return std::optional<UnionTest>();
    test.flows[out ? 0 : 1] = flows;
    test.arrived_bit_s[out ? 0 : 1] = between;
    Crossing& crossing = out ? test.split.rates.out : test.split.rates.in;
    crossing = crossing_of(found, alone_);
    if (alone_ || !found.full) continue;
    const auto weak = load_across(from, to, kWeakLoad * found.carried_bit_s, flows, between);
    if (!weak.ok()) return weak.error();
    see_others(found, weak.value(), crossing);
  }
  return std::optional(std::move(test));
}

// What of the load outwards is missing, as a share of what the trunks known so far let through.
double Search::unexplained(const UnionTest& test) const {
  const double arriving = expected(test.flows[0]).arriving_bit_s;
  return arriving > 0 ? 1 - test.arrived_bit_s[0] / arriving : 0;
}

// Tests `unions`. A trunk that some share holds up loads of other unions as well: the one that
// explains most counts first, and of the others what is then still missing. Before it counts, each
// segment that may be behind the same trunk is added to it.
Result<bool> Search::find_joint(std::vector<std::vector<std::size_t>> unions) {
  std::vector<UnionTest> tests;
  std::vector<std::vector<std::size_t>> grown;
  std::size_t tested = 0;
  for (;;) {
    for (; tested < std::min(unions.size(), kMostUnions); ++tested) {
      auto test = test_union(unions[tested]);
      if (!test.ok()) return test.error();
      if (test.value()) tests.push_back(std::move(*test.value()));
    }
    const auto most = std::ranges::max_element(
        tests, {}, [&](const UnionTest& test) { return unexplained(test); });
    if (most == tests.end() || unexplained(*most) <= 1 - kSharesTrunk) return true;
    const auto parts = most->split.segments;
    if (std::ranges::find(grown, parts) == grown.end()) {
      grown.push_back(parts);
      for (const HostSet& segment : segments_)
        add_as_union(joined(hosts_of(parts), segment), unions);
      continue;
    }
    joint_.push_back(std::move(most->split));
    tests.erase(most);
  }
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
  for (const HostSet& set : alike_) add_as_union(set, unions);
  if (segments_.size() <= kAllUnionsSegments) {
    for (std::size_t bits = 1; bits < std::size_t{1} << (segments_.size() - 1); ++bits) {
      std::vector<std::size_t> parts;
      for (std::size_t segment = 1; segment < segments_.size(); ++segment)
        if ((bits >> (segment - 1) & 1U) != 0) parts.push_back(segment);
      add_as_union(hosts_of(parts), unions);
    }
    return unions;
  }
  // Too many pairs: those that look alike from outside while everything is loaded.
  HostSet order = views_.setting().hosts;
  std::shuffle(order.begin(), order.end(), views_.setting().chance);
  const auto view = views_.observe({.purpose = "which segments look alike",
                                    .flows = shifted_flows(order, 1, views_.rates(), kCableShare),
                                    .duration_ns = 80 * kMillisecond,
                                    .landmarks = {}});
  if (!view.ok()) return view.error();
  for (const double difference : {0.2, 0.3, 0.4, 0.5}) {
    for (const HostSet& cluster :
         view_clusters(views_, view.value(), views_.setting().hosts, difference))
      add_as_union(cluster, unions);
  }
  return unions;
}

// The smaller side of a shared trunk that `segment` is behind with others; without segments where
// there is none.
Split Search::neighbourhood(std::size_t segment) const {
  Split smallest;
  for (const Split& split : joint_) {
    Split side = split;
    if (!std::ranges::binary_search(side.segments, segment)) {
      side.segments.clear();
      for (std::size_t other = 0; other < segments_.size(); ++other) {
        if (!std::ranges::binary_search(split.segments, other)) side.segments.push_back(other);
      }
      std::swap(side.rates.out, side.rates.in);
    }
    const bool smaller =
        smallest.segments.empty() || side.segments.size() < smallest.segments.size();
    if (side.segments.size() > 1 && smaller) smallest = std::move(side);
  }
  return smallest;
}

// Behind a shared trunk, a segment's load towards all others may have filled that one, not its own:
// what crosses towards its neighbours before it tells what its own carries.
Result<bool> Search::measure_below() {
  for (std::size_t segment = 0; segment < segments_.size(); ++segment) {
    const Split side = neighbourhood(segment);
    if (side.segments.empty() || kinds_[segment] == SegmentKind::bus) continue;
    SplitRates& own = own_[segment];
    const bool was_told = is_told(own.out.bit_s) || is_told(own.in.bit_s);
    if (fills(own.out, side.rates.out)) open_end(own.out);
    if (fills(own.in, side.rates.in)) open_end(own.in);
    const HostSet against = others(hosts_of(side.segments), segments_[segment]);
    const auto cut = load_cut(views_, segments_[segment], {.against = against});
    if (!cut.ok()) return cut.error();
    SplitRates found = rates_of(cut.value(), alone_);
    const auto seen = see_others_at(segment, against, cut.value(), found);
    if (!seen.ok()) return seen.error();
    take_nearer(found.out, own.out);
    take_nearer(found.in, own.in);
    own.full = was_told || is_told(own.out.bit_s) || is_told(own.in.bit_s);
  }
  return true;
}

Result<std::vector<TreeNode>> Search::run(const std::vector<HostSet>& proven) {
  if (segments_.size() < 2) return arrange_trunks(std::vector<SplitRates>(1), {});
  if (const auto measured = measure_own(); !measured.ok()) return measured.error();
  if (segments_.size() == 2) {
    // One trunk, seen from both sides.
    take_nearer(own_[1].in, own_[0].out);
    take_nearer(own_[1].out, own_[0].in);
    own_[1].out = own_[0].in;
    own_[1].in = own_[0].out;
  }
  auto unions = candidates(proven);
  if (!unions.ok()) return unions.error();
  if (const auto found = find_joint(std::move(unions.value())); !found.ok()) return found.error();
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
