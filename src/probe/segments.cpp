// SPDX-License-Identifier: BSD-3-Clause
#include "probe/segments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "probe/loads.h"
#include "probe/view_clusters.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// With all pairs up to this many hosts; beyond, ways to and from this many landmarks.
constexpr std::size_t kAllPairsHosts = 24;
constexpr std::size_t kLandmarks = 12;
constexpr std::size_t kMostTests = 16;
constexpr std::size_t kMostRepeats = 3;
constexpr int kMostTries = 2;      // of sets that are nearly the same
constexpr double kSameSet = 0.75;  // overlap from which two sets count as one set, seen imprecisely

bool contains(const HostSet& set, HostIndex host) {
  return std::binary_search(set.begin(), set.end(), host);
}

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

class Search {
 public:
  Search(LoadedViews& views, const std::vector<HostSet>& buses, const std::vector<HostSet>& hints)
      : views_(views),
        setting_(views.setting()),
        hints_(hints),
        by_name_(ordered_by_name(setting_)),
        parts_(common_refinement(setting_.hosts, buses)) {}

  Result<Partition> run();

 private:
  Result<bool> look(const std::vector<Flow>& flows, const std::string& purpose,
                    std::int64_t duration_ns);
  Result<bool> prove(const HostSet& candidate);
  Result<bool> try_hints();
  std::vector<Flow> next_flows(std::size_t round);
  std::vector<Flow> shuffled_inside_parts();
  HostSet landmarks();
  bool tried(const HostSet& candidate) const;
  bool is_piece(const HostSet& set) const;
  std::vector<HostSet> pieces_of(const std::vector<HostSet>& clusters) const;

  LoadedViews& views_;
  Setting& setting_;
  const std::vector<HostSet>& hints_;
  HostSet by_name_;
  std::vector<HostSet> parts_;   // of the hosts, as far as is proven
  std::vector<HostSet> proven_;  // sets that looked alike in two views of one load
  std::vector<HostSet> tried_;
  bool unexplained_ = false;  // the last view split a part in a way that was not tested before
  std::uint32_t unanimous_ = 0;
  std::uint32_t votes_ = 0;
};

HostSet Search::landmarks() {
  if (setting_.hosts.size() <= kAllPairsHosts) return {};
  HostSet chosen;
  std::sample(setting_.hosts.begin(), setting_.hosts.end(), std::back_inserter(chosen), kLandmarks,
              setting_.chance);
  return chosen;
}

// A set and its complement are the same cut.
bool Search::tried(const HostSet& candidate) const {
  return kMostTries <= std::count_if(tried_.begin(), tried_.end(), [&](const HostSet& set) {
           return overlap(set, candidate) > kSameSet ||
                  overlap(others(setting_.hosts, set), candidate) > kSameSet;
         });
}

// What the clusters would split off the parts known so far: of each part that is not in one
// cluster, what each cluster has of it, but the largest; smallest first.
std::vector<HostSet> Search::pieces_of(const std::vector<HostSet>& clusters) const {
  std::vector<HostSet> pieces;
  for (const HostSet& part : parts_) {
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
bool Search::is_piece(const HostSet& set) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const HostSet& part) {
    return part.size() > set.size() &&
           std::includes(part.begin(), part.end(), set.begin(), set.end());
  });
}

// Loads what crosses between `candidate` and the others, twice, and once more where the views
// differ. What most of them show is proven. True where it splits a part.
Result<bool> Search::prove(const HostSet& candidate) {
  std::vector<std::vector<HostSet>> seen;
  while (seen.size() < kMostRepeats) {
    const auto cut = load_cut(views_, candidate, {});
    if (!cut.ok()) return cut.error();
    seen.push_back(view_clusters(views_, cut.value().view, setting_.hosts));
    if (seen.front().size() < 2) return false;
    if (seen.size() == 2 && seen[0] == seen[1]) break;
  }
  ++votes_;
  unanimous_ += seen.size() == 2 ? 1 : 0;
  const auto clusters = mostly_together(setting_.hosts, seen);
  if (clusters.size() > 1) proven_.insert(proven_.end(), clusters.begin(), clusters.end());
  auto parts = parts_;
  for (const HostSet& piece : pieces_of(clusters)) parts.push_back(piece);
  const bool news = parts.size() > parts_.size();
  parts_ = common_refinement(setting_.hosts, parts);
  return news;
}

// Loads, groups hosts by what they saw, tests the groups; true where something new was proven.
Result<bool> Search::look(const std::vector<Flow>& flows, const std::string& purpose,
                          std::int64_t duration_ns) {
  const auto view = views_.observe(
      {.purpose = purpose, .flows = flows, .duration_ns = duration_ns, .landmarks = landmarks()});
  if (!view.ok()) return view.error();
  auto clusters = view_clusters(views_, view.value(), setting_.hosts);
  unexplained_ = false;
  bool news = false;
  for (const HostSet& piece : pieces_of(clusters)) {
    if (tried_.size() >= kMostTests) break;
    if (!is_piece(piece) || tried(piece)) continue;
    unexplained_ = true;
    tried_.push_back(piece);
    auto proven = prove(piece);
    if (proven.ok() && !proven.value()) {
      // What is missing in it may have kept it from filling what it shares.
      proven = prove(with_likest(views_, view.value(), piece, (piece.size() + 3) / 4));
    }
    if (!proven.ok()) return proven.error();
    news = news || proven.value();
  }
  return news;
}

Result<bool> Search::try_hints() {
  for (const HostSet& hint : hints_) {
    if (hint.empty() || hint.size() == setting_.hosts.size() || tried(hint)) continue;
    tried_.push_back(hint);
    const auto proven = prove(hint);
    if (!proven.ok()) return proven.error();
  }
  return true;
}

// Each part's hosts send to each other: nothing between the parts is loaded, so what a part hides
// shows.
std::vector<Flow> Search::shuffled_inside_parts() {
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

std::vector<Flow> Search::next_flows(std::size_t round) {
  HostSet order = by_name_;
  const std::size_t hosts = order.size();
  // Neighbours by name often are neighbours by cable: half the way round, everybody leaves his
  // group.
  constexpr std::array<std::size_t, 4> parts{2, 4, 3, 8};
  if (round < parts.size())
    return shifted_flows(order, std::max<std::size_t>(hosts / parts[round], 1), views_.rates(),
                         kCableShare);
  if (round % 3 == 0 && parts_.size() > 1) return shuffled_inside_parts();
  std::shuffle(order.begin(), order.end(), setting_.chance);
  return shifted_flows(order, 1, views_.rates(), kCableShare);
}

Result<Partition> Search::run() {
  const std::size_t hosts = setting_.hosts.size();
  if (hosts > 2) {
    if (const auto hinted = try_hints(); !hinted.ok()) return hinted.error();
  }
  const std::size_t most_rounds = hosts <= 2 ? 0 : std::clamp<std::size_t>(6 + hosts / 4, 8, 20);
  std::size_t quiet = 0;
  bool any = false;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    const auto flows = next_flows(round);
    if (flows.empty()) continue;
    const auto found = look(flows, "all hosts at once", 160 * kMillisecond);
    if (!found.ok()) return found.error();
    any = any || found.value();
    quiet = found.value() || unexplained_ ? 0 : quiet + 1;
    if (any && quiet >= 3 + hosts / 8) break;
  }
  const double doubt = votes_ == 0 ? 0 : 1 - static_cast<double>(unanimous_) / votes_;
  return Partition{parts_, proven_, 0.99 - 0.3 * doubt};
}

}  // namespace

double overlap(const HostSet& one, const HostSet& other) {
  HostSet shared;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(shared));
  return static_cast<double>(shared.size()) /
         static_cast<double>(one.size() + other.size() - shared.size());
}

std::vector<HostSet> common_refinement(const HostSet& hosts, const std::vector<HostSet>& sets) {
  std::map<std::vector<bool>, HostSet> parts;
  for (const HostIndex host : hosts) {
    std::vector<bool> within(sets.size());
    std::transform(sets.begin(), sets.end(), within.begin(),
                   [&](const HostSet& set) { return contains(set, host); });
    parts[within].push_back(host);
  }
  std::vector<HostSet> refinement;
  refinement.reserve(parts.size());
  for (auto& [within, part] : parts) refinement.push_back(std::move(part));
  std::sort(refinement.begin(), refinement.end());
  return refinement;
}

Result<Partition> find_segments(LoadedViews& views, const std::vector<HostSet>& buses,
                                const std::vector<HostSet>& hints) {
  return Search(views, buses, hints).run();
}

Result<Partition> guess_segments(LoadedViews& views, const std::vector<HostSet>& buses) {
  Setting& setting = views.setting();
  const std::size_t hosts = setting.hosts.size();
  if (hosts < 3) return Partition{common_refinement(setting.hosts, buses), {}, 0.5};
  std::vector<std::vector<HostSet>> guesses;
  for (const std::size_t shift : {hosts / 2, std::max<std::size_t>(hosts / 4, 1)}) {
    HostSet order = ordered_by_name(setting);
    if (shift != hosts / 2) std::shuffle(order.begin(), order.end(), setting.chance);
    Load load{.purpose = "all hosts at once, briefly",
              .flows = shifted_flows(order, shift, views.rates(), kCableShare),
              .duration_ns = 60 * kMillisecond,
              .landmarks = {}};
    if (hosts > kAllPairsHosts)
      std::sample(setting.hosts.begin(), setting.hosts.end(), std::back_inserter(load.landmarks),
                  kLandmarks, setting.chance);
    const auto view = views.observe(load);
    if (!view.ok()) return view.error();
    guesses.push_back(view_clusters(views, view.value(), setting.hosts));
  }
  // A set that only one view shows is no evidence.
  std::vector<HostSet> agreed = buses;
  std::copy_if(guesses[0].begin(), guesses[0].end(), std::back_inserter(agreed),
               [&](const HostSet& cluster) {
                 return std::find(guesses[1].begin(), guesses[1].end(), cluster) !=
                        guesses[1].end();
               });
  return Partition{
      common_refinement(setting.hosts, agreed), {}, guesses[0] == guesses[1] ? 0.9 : 0.6};
}

}  // namespace quadrille::probe
