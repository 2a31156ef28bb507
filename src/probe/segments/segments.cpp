// SPDX-License-Identifier: BSD-3-Clause
#include "probe/segments/segments.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>

#include "probe/rates/host_rates.h"
#include "probe/segments/loads.h"
#include "probe/segments/view_clusters.h"

namespace quadrille::probe {
namespace {

constexpr std::size_t kMostSegmentTests = 16;
constexpr std::size_t kMostRepeats = 3;
constexpr std::size_t kMostJoins = 8;
constexpr int kMostTries = 2;  // of sets that are nearly the same
constexpr std::size_t kFewHosts = 2;
// Share of what was sent. Few hosts' own cables, busy with others' traffic, hold up as much
// together.
constexpr double kHeldUp = 0.97;
constexpr double kHeldUpOfFew = 0.85;
constexpr std::size_t kQuickRounds = 6;
constexpr std::size_t kSpreadHosts = 9;       // few pairs of a random order may cross a trunk
constexpr std::size_t kQuickQuietRounds = 2;  // with nothing new
constexpr double kSameSet = 0.75;  // overlap from which two sets count as one set, seen imprecisely

// Hosts that are in one cluster in at least two of the clusterings, directly or through others.
std::vector<HostSet> mostly_together(const HostSet& hosts,
                                     const std::vector<std::vector<HostSet>>& clusterings) {
  std::map<std::pair<HostIndex, HostIndex>, int> together;
  for (const auto& clusters : clusterings) {
    for (const HostSet& cluster : clusters) {
      for (const HostIndex one : cluster) {
        for (const HostIndex other : cluster) ++together[{one, other}];
      }
    }
  }
  std::vector<HostSet> groups;
  HostSet left = hosts;
  while (!left.empty()) {
    HostSet group{left.front()};
    for (std::size_t at = 0; at < group.size(); ++at) {
      for (const HostIndex host : left) {
        if (std::find(group.begin(), group.end(), host) == group.end() &&
            together[{group[at], host}] >= 2)
          group.push_back(host);
      }
    }
    std::sort(group.begin(), group.end());
    left = others(left, group);
    groups.push_back(std::move(group));
  }
  return groups;
}

// Whether less came through than was sent: what is overloaded cannot but hold some up.
bool held_up(const CutDirection& direction, std::size_t hosts) {
  const double all = hosts > kFewHosts ? kHeldUp : kHeldUpOfFew;
  return direction.offered_bit_s > 0 && direction.arrived_bit_s < all * direction.offered_bit_s;
}

// Whether light datagrams wait on nearly all ways from `some` to `rest`, or on those back, as they
// do at something full between both.
bool waits_between(const LoadedViews& views, const LoadedView& view, const HostSet& some,
                   const HostSet& rest) {
  constexpr double kNearlyAll = 0.7;
  const auto all_wait = [&](const HostSet& from, const HostSet& into) {
    std::size_t known = 0;
    std::size_t waiting = 0;
    for (const HostIndex one : from) {
      for (const HostIndex other : into) {
        known += view.waits.at(one, other).known ? 1 : 0;
        waiting += views.standing(view, one, other) ? 1 : 0;
      }
    }
    return known > 0 && static_cast<double>(waiting) >= kNearlyAll * static_cast<double>(known);
  };
  return all_wait(some, rest) || all_wait(rest, some);
}

class SegmentSearch {
 public:
  SegmentSearch(LoadedViews& views, const PartitionHints& hints)
      : views_(views),
        setting_(views.setting()),
        hints_(hints),
        alone_(quiet(views.cables())),
        quick_(setting_.depth == Depth::quick),
        by_name_(ordered_by_name(setting_)),
        parts_(common_refinement(setting_.hosts, hints.buses)) {}

  Result<Partition> run();

 private:
  Result<bool> look(const std::vector<Flow>& flows);
  Result<bool> prove(const HostSet& candidate, const HostSet& against = {});
  Result<bool> prove_split(const LoadedView& view, const HostSet& piece);
  Result<bool> try_hints();
  Result<std::optional<LoadedView>> load_within(const HostSet& part);
  std::vector<HostSet> inside_of(const HostSet& part, const LoadedView& view) const;
  Result<bool> prove_within(const HostSet& part);
  Result<bool> join_torn_parts();
  Result<bool> look_within_parts();
  std::vector<Flow> next_flows(std::size_t round);
  std::vector<Flow> halves_of_parts() const;
  std::vector<Flow> shuffled_inside_parts();
  bool is_bus(const HostSet& part) const;
  bool tried(const HostSet& candidate) const;
  bool is_piece(const HostSet& set) const;
  HostSet rest_of_part(const HostSet& piece) const;
  bool split_by(const std::vector<HostSet>& proven);
  std::vector<HostSet> pieces_of(const std::vector<HostSet>& clusters) const;

  LoadedViews& views_;
  Setting& setting_;
  const PartitionHints& hints_;
  bool alone_;  // nobody else was seen to use the network
  bool quick_;  // a program waits to start: what two loads do not show is left unseen
  HostSet by_name_;
  std::vector<HostSet> parts_;   // of the hosts, as far as is proven
  std::size_t halved_ = 1;       // as many parts there were when their halves last met
  std::vector<HostSet> proven_;  // sets that looked alike in two views of one load
  std::vector<HostSet> tried_;
  bool filled_ = false;       // the last load held something up
  bool unexplained_ = false;  // the last view split a part in a way that was not tested before
  std::uint32_t unanimous_ = 0;
  std::uint32_t votes_ = 0;
};

bool SegmentSearch::is_bus(const HostSet& part) const {
  return std::ranges::find(hints_.buses, part) != hints_.buses.end();
}

// A set and its complement are the same cut.
bool SegmentSearch::tried(const HostSet& candidate) const {
  return kMostTries <= std::count_if(tried_.begin(), tried_.end(), [&](const HostSet& set) {
           return overlap(set, candidate) > kSameSet ||
                  overlap(others(setting_.hosts, set), candidate) > kSameSet;
         });
}

// What the clusters would split off the parts known so far, but for buses: of each part that is not
// in one cluster, what each cluster has of it, but the largest; smallest first.
std::vector<HostSet> SegmentSearch::pieces_of(const std::vector<HostSet>& clusters) const {
  std::vector<HostSet> pieces;
  for (const HostSet& part : parts_) {
    if (is_bus(part)) continue;
    std::vector<HostSet> split;
    for (const HostSet& cluster : clusters) {
      HostSet piece;
      std::set_intersection(part.begin(), part.end(), cluster.begin(), cluster.end(),
                            std::back_inserter(piece));
      if (!piece.empty()) split.push_back(std::move(piece));
    }
    const auto smaller = [](const HostSet& one, const HostSet& other) {
      return one.size() < other.size();
    };
    split.erase(std::max_element(split.begin(), split.end(), smaller));
    // What one host alone can fill is its own cable, as far as anybody can tell.
    std::erase_if(split, [](const HostSet& piece) { return piece.size() < 2; });
    pieces.insert(pieces.end(), split.begin(), split.end());
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const HostSet& one, const HostSet& other) {
    return one.size() < other.size();
  });
  return pieces;
}

// Whether it still would split a part.
bool SegmentSearch::is_piece(const HostSet& set) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const HostSet& part) {
    return part.size() > set.size() &&
           std::includes(part.begin(), part.end(), set.begin(), set.end());
  });
}

HostSet SegmentSearch::rest_of_part(const HostSet& piece) const {
  for (const HostSet& part : parts_) {
    if (std::includes(part.begin(), part.end(), piece.begin(), piece.end()))
      return others(part, piece);
  }
  return {};
}

// True where there is anything to split by.
bool SegmentSearch::split_by(const std::vector<HostSet>& proven) {
  std::vector<HostSet> sets = parts_;
  sets.insert(sets.end(), proven.begin(), proven.end());
  parts_ = common_refinement(setting_.hosts, sets);
  return !proven.empty();
}

// Loads what crosses between `candidate` and the others, or those it is `against`, twice, and once
// more where the views differ. What most of them show is proven. True where it splits a part.
Result<bool> SegmentSearch::prove(const HostSet& candidate, const HostSet& against) {
  std::vector<std::vector<HostSet>> seen;
  CutOptions options{.against = against};
  while (seen.size() < kMostRepeats) {
    const auto cut = load_cut(views_, candidate, options);
    if (!cut.ok()) return cut.error();
    const double arrived = std::max(cut.value().out.arrived_bit_s, cut.value().in.arrived_bit_s);
    if (arrived > 0) options.most_bit_s = kKeepsFull * arrived;
    filled_ =
        held_up(cut.value().out, candidate.size()) || held_up(cut.value().in, candidate.size());
    if (!filled_) return false;
    seen.push_back(view_clusters(views_, cut.value().view, setting_.hosts));
    if (seen.front().size() < 2) return false;
    if (seen.size() == 2 && seen[0] == seen[1]) break;
  }
  if (candidate.size() <= kFewHosts && seen.size() > 2) return false;
  ++votes_;
  unanimous_ += seen.size() == 2 ? 1 : 0;
  const auto clusters = mostly_together(setting_.hosts, seen);
  if (clusters.size() > 1) proven_.insert(proven_.end(), clusters.begin(), clusters.end());
  auto pieces = pieces_of(clusters);
  const bool is_certain = alone_ && seen.size() == 2;
  std::erase_if(pieces, [&](const HostSet& piece) {
    const bool is_rest = overlap(rest_of_part(piece), candidate) > kSameSet;
    return piece.size() <= kFewHosts && candidate.size() > kFewHosts && !is_rest && !is_certain;
  });
  return split_by(pieces);
}

// Whether anything shows that `piece` of `view` is not one segment with the rest of its part.
Result<bool> SegmentSearch::prove_split(const LoadedView& view, const HostSet& piece) {
  const auto is_settled = [](const Result<bool>& proven) { return !proven.ok() || proven.value(); };
  tried_.push_back(piece);
  auto proven = prove(piece);
  if (is_settled(proven)) return proven;
  // What is missing in it may have kept it from filling what it shares.
  proven = prove(with_likest(views_, view, piece, (piece.size() + 3) / 4));
  if (is_settled(proven) || filled_ || !alone_) return proven;
  // Then the others of its part may be who shares something.
  const HostSet rest = rest_of_part(piece);
  if (rest.size() > kFewHosts && !tried(rest)) {
    tried_.push_back(rest);
    proven = prove(rest);
    if (is_settled(proven)) return proven;
  }
  // Or what joins the part to all others fills first; or hosts that took no part were needed.
  return prove(piece, rest);
}

// Loads, groups hosts by what they saw, tests the groups; true where something new was proven.
Result<bool> SegmentSearch::look(const std::vector<Flow>& flows) {
  const auto view = views_.observe({.purpose = "all hosts at once",
                                    .flows = flows,
                                    .duration_ns = 80 * kMillisecond,
                                    .landmarks = choose_landmarks(setting_)});
  if (!view.ok()) return view.error();
  auto clusters = view_clusters(views_, view.value(), setting_.hosts);
  unexplained_ = false;
  bool news = false;
  for (const HostSet& piece : pieces_of(clusters)) {
    if (tried_.size() >= kMostSegmentTests) break;
    if (!is_piece(piece) || tried(piece)) continue;
    unexplained_ = true;
    const auto proven = prove_split(view.value(), piece);
    if (!proven.ok()) return proven.error();
    news = news || proven.value();
  }
  return news;
}

Result<bool> SegmentSearch::try_hints() {
  for (const HostSet& hint : hints_.apart) {
    if (hint.empty() || hint.size() == setting_.hosts.size() || tried(hint)) continue;
    tried_.push_back(hint);
    const auto proven = prove(hint);
    if (!proven.ok()) return proven.error();
  }
  return true;
}

// All of `part` sends to the others, and they to it; nothing where that was not held up.
Result<std::optional<LoadedView>> SegmentSearch::load_within(const HostSet& part) {
  auto cut = load_cut(views_, part, {.within = true});
  if (!cut.ok()) return cut.error();
  const Cut& load = cut.value();
  if (!held_up(load.out, part.size()) && !held_up(load.in, part.size()))
    return std::optional<LoadedView>();
  LoadedView view = std::move(cut.value().view);
  view.landmarks = part;
  return std::optional(std::move(view));
}

// Which hosts of `part` are behind something full that the others of it are not behind.
std::vector<HostSet> SegmentSearch::inside_of(const HostSet& part, const LoadedView& view) const {
  auto clusters = view_clusters(views_, view, part);
  std::erase_if(clusters, [&](const HostSet& cluster) {
    return cluster.size() < 2 || !waits_between(views_, view, cluster, others(part, cluster));
  });
  return clusters;
}

// `part` is loaded twice, and once more where the views differ. What its hosts then wait for on
// their way to each other is inside it: where another trunk is full as well, hosts on both sides of
// one look alike from elsewhere. Where the first view shows nothing, no other is taken. True where
// it splits the part.
Result<bool> SegmentSearch::prove_within(const HostSet& part) {
  std::vector<std::vector<HostSet>> seen;
  while (seen.size() < kMostRepeats) {
    const auto view = load_within(part);
    if (!view.ok()) return view.error();
    if (!view.value()) return false;
    seen.push_back(inside_of(part, *view.value()));
    if (seen.front().empty()) return false;
    if (seen.size() == 2 && seen[0] == seen[1]) break;
  }
  ++votes_;
  unanimous_ += seen.size() == 2 ? 1 : 0;
  auto inside = mostly_together(part, seen);
  std::erase_if(inside, [&](const HostSet& cluster) {
    return cluster.size() < 2 || cluster.size() == part.size();
  });
  proven_.insert(proven_.end(), inside.begin(), inside.end());
  return split_by(inside);
}

Result<bool> SegmentSearch::look_within_parts() {
  std::vector<HostSet> loaded = hints_.buses;
  for (bool news = true; news;) {
    news = false;
    for (const HostSet& part : std::vector<HostSet>(parts_)) {
      const bool known = std::find(loaded.begin(), loaded.end(), part) != loaded.end();
      if (part.size() < 3 || part.size() == setting_.hosts.size() || known) continue;
      loaded.push_back(part);
      const auto proven = prove_within(part);
      if (!proven.ok()) return proven.error();
      news = news || proven.value();
    }
  }
  return true;
}

// Two small parts that together are no larger than another one may be one that was torn: while both
// send outwards as fast as they can, what each is behind fills, and hosts that are behind the same
// do not wait for each other.
Result<bool> SegmentSearch::join_torn_parts() {
  const std::size_t largest = std::ranges::max(parts_, {}, &HostSet::size).size();
  std::size_t tests = 0;
  for (std::size_t one = 0; one < parts_.size(); ++one) {
    for (std::size_t other = one + 1; other < parts_.size(); ++other) {
      const HostSet both = joined(parts_[one], parts_[other]);
      if (both.size() < 3 || both.size() > largest || is_bus(parts_[one]) || is_bus(parts_[other]))
        continue;
      if (++tests > kMostJoins) return true;
      const auto view = load_within(both);
      if (!view.ok()) return view.error();
      if (!view.value() || !inside_of(both, *view.value()).empty()) continue;
      parts_[one] = both;
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(other));
      other = one;
    }
  }
  return true;
}

// Half of each part, by name, sends to its other half and back: what two groups of neighbours share
// is loaded by nothing else as much.
std::vector<Flow> SegmentSearch::halves_of_parts() const {
  std::vector<Flow> flows;
  for (const HostSet& part : parts_) {
    if (part.size() < 4) continue;
    HostSet order;
    std::copy_if(by_name_.begin(), by_name_.end(), std::back_inserter(order),
                 [&](HostIndex host) { return contains(part, host); });
    const auto halves = shifted_flows(order, order.size() / 2, views_.rates(), kCableShare);
    flows.insert(flows.end(), halves.begin(), halves.end());
  }
  return flows;
}

// Each part's hosts send to each other: nothing between the parts is loaded, so what a part hides
// shows.
std::vector<Flow> SegmentSearch::shuffled_inside_parts() {
  std::vector<Flow> flows;
  for (HostSet part : parts_) {
    if (part.size() < 3) continue;
    std::shuffle(part.begin(), part.end(), setting_.chance);
    const auto inside =
        shifted_flows(part, 1 + setting_.chance() % (part.size() - 1), views_.rates(), kCableShare);
    flows.insert(flows.end(), inside.begin(), inside.end());
  }
  return flows;
}

std::vector<Flow> SegmentSearch::next_flows(std::size_t round) {
  HostSet order = by_name_;
  const std::size_t hosts = order.size();
  const auto shifted = [&](std::size_t shift) {
    return shifted_flows(order, std::max<std::size_t>(shift, 1), views_.rates(), kCableShare);
  };
  // Neighbours by name often are neighbours by cable: half the way round, everybody leaves his
  // group. An odd shift does where the odd ones are the group.
  constexpr std::array<std::size_t, 4> parts{2, 4, 3, 8};
  if (quick_ && round == 0) return shifted((hosts / 2) | 1U);
  if (quick_ && round == 1 && hosts <= kSpreadHosts)
    return spread_flows(order, views_.rates(), kCableShare);
  if (!quick_ && round < parts.size()) return shifted(hosts / parts[round]);
  // Where names tell nothing, distances may.
  if (!hints_.near_first.empty() && round < 2 * parts.size()) {
    order = hints_.near_first;
    return shifted(hosts / parts[round - parts.size()]);
  }
  if (parts_.size() > halved_) {
    halved_ = parts_.size();
    return halves_of_parts();
  }
  if (round % 3 == 0 && parts_.size() > 1) return shuffled_inside_parts();
  std::shuffle(order.begin(), order.end(), setting_.chance);
  return shifted_flows(order, 1, views_.rates(), kCableShare);
}

Result<Partition> SegmentSearch::run() {
  const std::size_t hosts = setting_.hosts.size();
  if (hosts > 2) {
    if (const auto hinted = try_hints(); !hinted.ok()) return hinted.error();
  }
  const std::size_t most_rounds = hosts <= 2 ? 0
                                  : quick_   ? kQuickRounds
                                             : std::clamp<std::size_t>(6 + hosts / 4, 8, 20);
  const std::size_t quiet_rounds = quick_ ? kQuickQuietRounds : 3 + hosts / 8;
  std::size_t quiet = hints_.was_clear && hosts > kSpreadHosts ? 1 : 0;
  bool any = false;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    const auto flows = next_flows(round);
    if (flows.empty()) continue;
    const auto found = look(flows);
    if (!found.ok()) return found.error();
    any = any || found.value();
    quiet = found.value() || unexplained_ ? 0 : quiet + 1;
    if ((any || quick_) && quiet >= quiet_rounds) break;
  }
  if (const auto looked = look_within_parts(); !looked.ok()) return looked.error();
  if (const auto joined = join_torn_parts(); !joined.ok()) return joined.error();
  const double doubt = votes_ == 0 ? 0 : 1 - static_cast<double>(unanimous_) / votes_;
  return Partition{parts_, proven_, 0.99 - 0.3 * doubt};
}

}  // namespace

Result<Partition> find_segments(LoadedViews& views, const PartitionHints& hints) {
  return SegmentSearch(views, hints).run();
}

}  // namespace quadrille::probe
