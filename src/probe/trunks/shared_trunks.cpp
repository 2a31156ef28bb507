// SPDX-License-Identifier: BSD-3-Clause
#include "probe/trunks/shared_trunks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "probe/rates/host_rates.h"
#include "probe/segments/loads.h"
#include "probe/segments/view_clusters.h"
#include "probe/trunks/trunk_crossing.h"

namespace quadrille::probe {
namespace {

constexpr double kMissing = 0.13;              // of what would cross without a shared trunk
constexpr std::size_t kAllUnionsSegments = 6;  // up to here all are tested
constexpr std::size_t kMostUnions = 32;

using Union = std::vector<std::size_t>;  // of segments, ascending

class SharedTrunkSearch {
 public:
  SharedTrunkSearch(LoadedViews& views, KnownTrunks& known)
      : views_(views), known_(known), alone_(quiet(views.cables())) {}

  Result<bool> run(const std::vector<HostSet>& likely);

 private:
  // A load in one direction, and what came of it.
  struct Loaded {
    CutDirection direction;
    std::vector<Flow> flows;
    double arrived_bit_s = 0;  // of each pair of segments for itself
  };
  struct Sign {
    Split split;
    Loaded outwards;
  };

  Result<Loaded> load_across(const HostSet& from, const HostSet& to, double most_bit_s);
  double arrived_between_bit_s(const std::vector<FlowOutcome>& flows) const;
  Result<std::optional<Sign>> test(const Union& parts);
  double unexplained(const Loaded& load) const;
  void add(const HostSet& hosts, std::vector<Union>& unions) const;
  Result<std::vector<Union>> candidates(const std::vector<HostSet>& likely);

  LoadedViews& views_;
  KnownTrunks& known_;
  bool alone_;  // nobody else was seen to use the network
};

// Of each pair of segments over the time that its own flows took: where one's trunk still empties
// its queue, the others have ended.
double SharedTrunkSearch::arrived_between_bit_s(const std::vector<FlowOutcome>& flows) const {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<FlowOutcome>> between;
  for (const FlowOutcome& outcome : flows)
    between[{known_.segment_of(outcome.flow.from), known_.segment_of(outcome.flow.to)}].push_back(
        outcome);
  double sum = 0;
  for (const auto& [ways, some] : between) sum += arrived_together_bit_s(some);
  return sum;
}

// What is missing, as a share of what the trunks known so far let through.
double SharedTrunkSearch::unexplained(const Loaded& load) const {
  const double arriving = known_.expected(load.flows).arriving_bit_s;
  return arriving > 0 ? 1 - load.arrived_bit_s / arriving : 0;
}

Result<SharedTrunkSearch::Loaded> SharedTrunkSearch::load_across(const HostSet& from,
                                                                 const HostSet& to,
                                                                 double most_bit_s) {
  Loaded load;
  load.flows =
      known_.worth_sending(crossing_flows(from, views_.rates(), to, views_.rates(), most_bit_s));
  const auto view = views_.observe({.purpose = "whether segments share a trunk",
                                    .flows = load.flows,
                                    .duration_ns = 70 * kMillisecond,
                                    .landmarks = {to.front()}});
  if (!view.ok()) return view.error();
  load.arrived_bit_s = arrived_between_bit_s(view.value().flows);
  CutDirection& direction = load.direction;
  direction.offered_bit_s = known_.expected(load.flows).leaving_bit_s;
  direction.arrived_bit_s = arrived_together_bit_s(view.value().flows);
  direction.carried_bit_s = direction.arrived_bit_s + light_bit_s(view.value(), from, to);
  direction.full = unexplained(load) > kMissing;
  return load;
}

// Nothing without a sign outwards: the way inwards is no trunk of these either then.
Result<std::optional<SharedTrunkSearch::Sign>> SharedTrunkSearch::test(const Union& parts) {
  const HostSet inside = known_.hosts_of(parts);
  const HostSet outside = others(views_.hosts(), inside);
  Sign sign;
  sign.split.segments = parts;
  sign.split.rates.full = true;
  for (const bool out : {true, false}) {
    const HostSet& from = out ? inside : outside;
    const HostSet& to = out ? outside : inside;
    auto strong = load_across(from, to, std::numeric_limits<double>::infinity());
    if (!strong.ok()) return strong.error();
    const CutDirection found = strong.value().direction;
    if (out && !found.full) return std::optional<Sign>();
    if (out) sign.outwards = std::move(strong.value());
    Crossing& crossing = out ? sign.split.rates.out : sign.split.rates.in;
    crossing = crossing_of(found, alone_);
    if (alone_ || !found.full) continue;
    const auto weak = load_across(from, to, kWeakLoad * found.carried_bit_s);
    if (!weak.ok()) return weak.error();
    see_others(found, weak.value().direction, crossing);
  }
  return std::optional(std::move(sign));
}

// A trunk that some share holds up loads of other unions as well: the one that explains most counts
// first, and of the others what is then still missing. Before it counts, each segment that may be
// behind the same trunk is added to it.
Result<bool> SharedTrunkSearch::run(const std::vector<HostSet>& likely) {
  if (known_.segments.size() <= 3) return true;
  auto unions = candidates(likely);
  if (!unions.ok()) return unions.error();
  std::vector<Sign> signs;
  std::vector<Union> grown;
  std::size_t tested = 0;
  for (;;) {
    for (; tested < std::min(unions.value().size(), kMostUnions); ++tested) {
      auto sign = test(unions.value()[tested]);
      if (!sign.ok()) return sign.error();
      if (sign.value()) signs.push_back(std::move(*sign.value()));
    }
    const auto most = std::ranges::max_element(
        signs, {}, [&](const Sign& sign) { return unexplained(sign.outwards); });
    if (most == signs.end() || unexplained(most->outwards) <= kMissing) return true;
    const Union parts = most->split.segments;
    if (std::ranges::find(grown, parts) == grown.end()) {
      grown.push_back(parts);
      for (const HostSet& segment : known_.segments)
        add(joined(known_.hosts_of(parts), segment), unions.value());
      continue;
    }
    known_.joint.push_back(std::move(most->split));
    signs.erase(most);
  }
}

// Unless it, or its complement, is there, or it is no union of several segments and not all others.
void SharedTrunkSearch::add(const HostSet& hosts, std::vector<Union>& unions) const {
  Union parts;
  for (std::size_t segment = 0; segment < known_.segments.size(); ++segment) {
    if (std::includes(hosts.begin(), hosts.end(), known_.segments[segment].begin(),
                      known_.segments[segment].end()))
      parts.push_back(segment);
  }
  if (parts.size() < 2 || parts.size() + 1 >= known_.segments.size() ||
      known_.hosts_of(parts) != hosts)
    return;
  const auto known = [&](const Union& set) {
    return std::find(unions.begin(), unions.end(), set) != unions.end();
  };
  const Split rest = other_side({parts, {}}, known_.segments.size());
  if (!known(parts) && !known(rest.segments)) unions.push_back(parts);
}

Result<std::vector<Union>> SharedTrunkSearch::candidates(const std::vector<HostSet>& likely) {
  std::vector<Union> unions;
  for (const HostSet& set : likely) add(set, unions);
  if (known_.segments.size() <= kAllUnionsSegments) {
    for (std::size_t bits = 1; bits < std::size_t{1} << (known_.segments.size() - 1); ++bits) {
      Union parts;
      for (std::size_t segment = 1; segment < known_.segments.size(); ++segment)
        if ((bits >> (segment - 1) & 1U) != 0) parts.push_back(segment);
      add(known_.hosts_of(parts), unions);
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
      add(cluster, unions);
  }
  return unions;
}

}  // namespace

Result<bool> find_shared_trunks(LoadedViews& views, const std::vector<HostSet>& likely,
                                KnownTrunks& known) {
  return SharedTrunkSearch(views, known).run(likely);
}

}  // namespace quadrille::probe
