// SPDX-License-Identifier: BSD-3-Clause
// Average linkage in O(n^3) steps over a table of differences: 256 hosts take some ten
// milliseconds.
#include "probe/view_clusters.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace quadrille::probe {
namespace {

// A wait below this share of another one is clearly shorter: full queues breathe, and deep ones
// grow while watched.
constexpr double kClearlyShorter = 0.35;

// Waits less what a host's own cable accounts for: its least wait towards anybody, and anybody's
// least towards it. What is left is between the hosts.
struct Residuals {
  const LoadedViews& views;
  PairTable<Wait> waits;
};

std::int64_t& half_of(Wait& wait, bool second) {
  return second ? wait.second_half_ns : wait.first_half_ns;
}

Residuals residuals_of(const LoadedViews& views, const LoadedView& view) {
  Residuals residuals{views, view.waits};
  const auto hosts = static_cast<HostIndex>(view.waits.hosts());
  for (const bool second : {false, true}) {
    for (const bool from : {true, false}) {
      for (HostIndex own = 0; own < hosts; ++own) {
        const auto cell = [&](HostIndex third) -> Wait& {
          return from ? residuals.waits.at(own, third) : residuals.waits.at(third, own);
        };
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (HostIndex third = 0; third < hosts; ++third) {
          if (cell(third).known) least = std::min(least, half_of(cell(third), second));
        }
        for (HostIndex third = 0; third < hosts; ++third) {
          if (cell(third).known) half_of(cell(third), second) -= least;
        }
      }
    }
  }
  return residuals;
}

struct Tally {
  std::uint32_t compared = 0;
  std::uint32_t differing = 0;
};

// Counts the ways `way` and `other_way` as compared, and as differing where one waits and the other
// does clearly less.
void compare(const Residuals& residuals, std::pair<HostIndex, HostIndex> way,
             std::pair<HostIndex, HostIndex> other_way, Tally& tally) {
  const Wait& one = residuals.waits.at(way.first, way.second);
  const Wait& other = residuals.waits.at(other_way.first, other_way.second);
  if (!one.known || !other.known) return;
  ++tally.compared;
  const bool first_longer = one.least_ns() > other.least_ns();
  const Wait& longer = first_longer ? one : other;
  const Wait& shorter = first_longer ? other : one;
  const auto& longer_way = first_longer ? way : other_way;
  if (!is_standing(longer, residuals.views.floor_ns(longer_way.first, longer_way.second))) return;
  if (static_cast<double>(shorter.least_ns()) <
      kClearlyShorter * static_cast<double>(longer.least_ns()))
    ++tally.differing;
}

double difference(const Residuals& residuals, const HostSet& landmarks, HostIndex one,
                  HostIndex other) {
  Tally tally;
  for (const HostIndex third : landmarks) {
    if (third == one || third == other) continue;
    compare(residuals, {one, third}, {other, third}, tally);
    compare(residuals, {third, one}, {third, other}, tally);
  }
  return tally.compared < 2 ? -1 : static_cast<double>(tally.differing) / tally.compared;
}

// Distances between clusters, merged by the mean over pairs of hosts (Lance and Williams).
class Linkage {
 public:
  Linkage(const Residuals& residuals, const HostSet& landmarks, const HostSet& hosts)
      : distance_(hosts.size(), 0.0) {
    for (const HostIndex host : hosts) clusters_.push_back({host});
    for (HostIndex one = 0; one < hosts.size(); ++one) {
      for (HostIndex other = 0; other < one; ++other) {
        set(one, other, difference(residuals, landmarks, hosts[one], hosts[other]));
      }
    }
  }

  void merge_up_to(double most_difference) {
    while (true) {
      HostIndex best_one = 0;
      HostIndex best_other = 0;
      double best = most_difference;
      for (HostIndex one = 0; one < clusters_.size(); ++one) {
        if (clusters_[one].empty()) continue;
        for (HostIndex other = 0; other < one; ++other) {
          if (clusters_[other].empty() || distance_.at(one, other) > best) continue;
          best = distance_.at(one, other);
          best_one = one;
          best_other = other;
        }
      }
      if (best_one == best_other) return;
      merge(best_other, best_one);
    }
  }

  std::vector<HostSet> clusters() const {
    std::vector<HostSet> found;
    for (auto cluster : clusters_) {
      if (cluster.empty()) continue;
      std::sort(cluster.begin(), cluster.end());
      found.push_back(std::move(cluster));
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  void set(HostIndex one, HostIndex other, double value) {
    distance_.at(one, other) = value;
    distance_.at(other, one) = value;
  }

  void merge(HostIndex into, HostIndex from) {
    const auto weight = static_cast<double>(clusters_[into].size());
    const auto added = static_cast<double>(clusters_[from].size());
    for (HostIndex third = 0; third < clusters_.size(); ++third) {
      if (third == into || third == from || clusters_[third].empty()) continue;
      set(into, third,
          (weight * distance_.at(into, third) + added * distance_.at(from, third)) /
              (weight + added));
    }
    clusters_[into].insert(clusters_[into].end(), clusters_[from].begin(), clusters_[from].end());
    clusters_[from].clear();
  }

  std::vector<HostSet> clusters_;
  PairTable<double> distance_;
};

}  // namespace

std::vector<HostSet> view_clusters(const LoadedViews& views, const LoadedView& view,
                                   const HostSet& hosts, double most_difference) {
  Linkage linkage(residuals_of(views, view), view.landmarks, hosts);
  linkage.merge_up_to(most_difference);
  return linkage.clusters();
}

HostSet with_likest(const LoadedViews& views, const LoadedView& view, const HostSet& cluster,
                    std::size_t more) {
  const Residuals residuals = residuals_of(views, view);
  std::vector<std::pair<double, HostIndex>> distances;
  for (const HostIndex host : views.hosts()) {
    if (std::binary_search(cluster.begin(), cluster.end(), host)) continue;
    double sum = 0;
    for (const HostIndex member : cluster)
      sum += difference(residuals, view.landmarks, host, member);
    distances.emplace_back(sum, host);
  }
  std::sort(distances.begin(), distances.end());
  HostSet larger = cluster;
  for (std::size_t at = 0; at < std::min(more, distances.size()); ++at)
    larger.push_back(distances[at].second);
  std::sort(larger.begin(), larger.end());
  return larger;
}

}  // namespace quadrille::probe
