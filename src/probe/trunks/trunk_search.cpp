// SPDX-License-Identifier: BSD-3-Clause
// Each segment is loaded towards all others, which tells what leaves it and what enters it. Then
// which of them share a trunk (shared_trunks.h); behind one, each is loaded towards its neighbours.
#include "probe/trunks/trunk_search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "probe/rates/host_rates.h"
#include "probe/segments/loads.h"
#include "probe/segments/view_clusters.h"
#include "probe/trunks/known_trunks.h"
#include "probe/trunks/shared_trunks.h"
#include "probe/trunks/trunk_crossing.h"

namespace quadrille::probe {
namespace {

constexpr double kFillsBus = 0.9;        // of what it carries
constexpr std::size_t kWays = 3;         // receivers of each host: what lies before them fills less
constexpr std::size_t kFewSegments = 4;  // up to here each one's own trunk is measured twice

class TrunkSearch {
 public:
  TrunkSearch(LoadedViews& views, const std::vector<HostSet>& segments,
              const std::vector<SegmentKind>& kinds)
      : views_(views),
        segments_(segments),
        kinds_(kinds),
        alone_(quiet(views.cables())),
        known_(segments) {}

  // `proven`: sets of hosts that were found to be behind something full together.
  Result<std::vector<TreeNode>> run(const std::vector<HostSet>& proven);

 private:
  Result<Cut> best_cut(std::size_t segment);
  std::vector<std::size_t> slow_ones_first() const;
  Result<bool> measure_own();
  Result<bool> see_others_at(std::size_t segment, const HostSet& against, const Cut& strong,
                             SplitRates& rates);
  Result<bool> measure_below();
  void join_both_sides();
  void open_middles();
  bool fills_bus(const HostSet& bus, const CutDirection& direction) const;

  LoadedViews& views_;
  const std::vector<HostSet>& segments_;
  const std::vector<SegmentKind>& kinds_;
  bool alone_;  // nobody else was seen to use the network
  KnownTrunks known_;
  std::vector<HostSet> alike_;  // from elsewhere, while one segment was loaded
};

// What arrives only ever falls short: a host that was held up, or others' traffic, takes from it.
// The first time some of the others stay idle; all of them may be needed to fill what is between.
Result<Cut> TrunkSearch::best_cut(std::size_t segment) {
  CutOptions options{.gentle = kinds_[segment] == SegmentKind::bus, .ways = kWays};
  // Beside others a strong load tells what they have only if it is one.
  if (alone_) {
    if (segments_.size() > kFewSegments)
      options.most_bit_s = kKeepsFull * views_.crossing_bit_s(segments_[segment]);
    options.worth = [this](std::vector<Flow> flows) {
      return known_.worth_sending(std::move(flows));
    };
  }
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
std::vector<std::size_t> TrunkSearch::slow_ones_first() const {
  std::vector<std::size_t> order(segments_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t segment) {
    const HostSet& hosts = segments_[segment];
    return std::min(sum_free_out(hosts, views_.rates()), views_.crossing_bit_s(hosts));
  });
  return order;
}

Result<bool> TrunkSearch::measure_own() {
  for (const std::size_t segment : slow_ones_first()) {
    const auto cut = best_cut(segment);
    if (!cut.ok()) return cut.error();
    known_.own[segment] = rates_of(cut.value(), alone_);
    for (HostSet& alike : view_clusters(views_, cut.value().view, views_.hosts()))
      alike_.push_back(std::move(alike));
    if (kinds_[segment] != SegmentKind::bus) {
      const auto seen = see_others_at(segment, {}, cut.value(), known_.own[segment]);
      if (!seen.ok()) return seen.error();
      continue;
    }
    const auto inwards = load_cut(views_, segments_[segment], {.gentle = true, .inwards = true});
    if (!inwards.ok()) return inwards.error();
    SplitRates& rates = known_.own[segment];
    rates.full = true;
    rates.in = crossing_of(inwards.value().in, alone_);
    if (fills_bus(segments_[segment], cut.value().out)) open_end(rates.out);
    if (fills_bus(segments_[segment], inwards.value().in)) open_end(rates.in);
  }
  return true;
}

// Where others use the network too, what is full is loaded once more, just enough to stay full
// beside them: what both loads carried tells what it carries in all and what others have.
Result<bool> TrunkSearch::see_others_at(std::size_t segment, const HostSet& against,
                                        const Cut& strong, SplitRates& rates) {
  if (alone_ || !rates.full) return true;
  const double carried = std::max(strong.out.carried_bit_s, strong.in.carried_bit_s);
  const auto weak =
      load_cut(views_, segments_[segment],
               {.against = against, .ways = kWays, .most_bit_s = kWeakLoad * carried});
  if (!weak.ok()) return weak.error();
  see_others(strong.out, weak.value().out, rates.out);
  see_others(strong.in, weak.value().in, rates.in);
  return true;
}

// Whether a bus carried all it can, light datagrams among its own hosts included: then the way
// between it and the others has at least what crossed. Whether others pass through a bus cannot be
// seen: none is taken to be in the middle.
bool TrunkSearch::fills_bus(const HostSet& bus, const CutDirection& direction) const {
  double carries = 0;
  for (const HostIndex host : bus)
    carries = std::max(carries, views_.cables()[host].free_out_bit_s());
  return direction.inside_bit_s >= kFillsBus * carries;
}

// Behind a shared trunk, a segment's load towards all others may have filled that one, not its own:
// what crosses towards its neighbours before it tells what its own carries.
Result<bool> TrunkSearch::measure_below() {
  for (std::size_t segment = 0; segment < segments_.size(); ++segment) {
    const Split side = known_.neighbourhood(segment);
    if (side.segments.empty() || kinds_[segment] == SegmentKind::bus) continue;
    SplitRates& own = known_.own[segment];
    const bool was_told = is_told(own.out.bit_s) || is_told(own.in.bit_s);
    if (fills(own.out, side.rates.out)) open_end(own.out);
    if (fills(own.in, side.rates.in)) open_end(own.in);
    const HostSet against = others(known_.hosts_of(side.segments), segments_[segment]);
    const auto cut = load_cut(views_, segments_[segment], {.against = against, .ways = kWays});
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

// Of two segments: one trunk.
void TrunkSearch::join_both_sides() {
  SplitRates& one = known_.own[0];
  SplitRates& other = known_.own[1];
  take_nearer(other.in, one.out);
  take_nearer(other.out, one.in);
  other.out = one.in;
  other.in = one.out;
}

// What leaves a segment and is all that the ways into the others take may be limited by these
// alone: its hosts are then where those ways meet. The same inwards.
void TrunkSearch::open_middles() {
  for (SplitRates& own : known_.own) {
    for (Crossing SplitRates::*way : {&SplitRates::out, &SplitRates::in}) {
      const auto back = way == &SplitRates::out ? &SplitRates::in : &SplitRates::out;
      Crossing rest{Measured{}, {}, {}};
      for (const SplitRates& other : known_.own) {
        if (&other == &own) continue;
        if (!is_told((other.*back).bit_s)) rest.bit_s.reset();
        if (rest.bit_s) rest.bit_s->value += (other.*back).bit_s->value;
      }
      if (!fills(own.*way, rest)) continue;
      open_end(own.*way);
      own.full = is_told(own.out.bit_s) || is_told(own.in.bit_s);
    }
  }
}

Result<std::vector<TreeNode>> TrunkSearch::run(const std::vector<HostSet>& proven) {
  if (segments_.size() < 2) return arrange_trunks(std::vector<SplitRates>(1), {});
  if (const auto measured = measure_own(); !measured.ok()) return measured.error();
  if (segments_.size() == 2) {
    join_both_sides();
  } else {
    open_middles();
  }
  std::vector<HostSet> likely = proven;
  likely.insert(likely.end(), alike_.begin(), alike_.end());
  if (const auto found = find_shared_trunks(views_, likely, known_); !found.ok())
    return found.error();
  if (const auto measured = measure_below(); !measured.ok()) return measured.error();
  return arrange_trunks(known_.own, known_.joint);
}

}  // namespace

Result<std::vector<TreeNode>> find_trunks(LoadedViews& views, const std::vector<HostSet>& segments,
                                          const std::vector<SegmentKind>& kinds,
                                          const std::vector<HostSet>& proven) {
  return TrunkSearch(views, segments, kinds).run(proven);
}

}  // namespace quadrille::probe
