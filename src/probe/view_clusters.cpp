// SPDX-License-Identifier: BSD-3-Clause
// Average linkage in O(n^3) steps over a table of differences: 256 hosts take some ten
// milliseconds.
#include "probe/view_clusters.h"

#include <algorithm>

namespace quadrille::probe {
namespace {

// A wait below this share of another one is clearly shorter: full queues breathe, and deep ones
// grow while watched.
constexpr double kClearlyShorter = 0.35;

struct Tally {
  std::uint32_t compared = 0;
  std::uint32_t differing = 0;
};

void compare(const LoadedViews& views, const LoadedView& view, std::pair<HostIndex, HostIndex> way,
             std::pair<HostIndex, HostIndex> other_way, Tally& tally) {
  const Wait& one = view.waits.at(way.first, way.second);
  const Wait& other = view.waits.at(other_way.first, other_way.second);
  if (!one.known || !other.known) return;
  ++tally.compared;
  const bool first_longer = one.least_ns() > other.least_ns();
  const auto& longer = first_longer ? way : other_way;
  const auto most = first_longer ? one.least_ns() : other.least_ns();
  if (!views.standing(view, longer.first, longer.second)) return;
  const auto least = first_longer ? other.least_ns() : one.least_ns();
  if (static_cast<double>(least) < kClearlyShorter * static_cast<double>(most)) ++tally.differing;
}

// Distances between clusters, merged by the mean over pairs of hosts (Lance and Williams).
class Linkage {
 public:
  Linkage(const LoadedViews& views, const LoadedView& view, const HostSet& hosts)
      : distance_(hosts.size(), 0.0) {
    for (const HostIndex host : hosts) clusters_.push_back({host});
    for (HostIndex one = 0; one < hosts.size(); ++one) {
      for (HostIndex other = 0; other < one; ++other) {
        set(one, other, view_difference(views, view, hosts[one], hosts[other]));
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

double view_difference(const LoadedViews& views, const LoadedView& view, HostIndex one,
                       HostIndex other) {
  Tally tally;
  for (const HostIndex third : view.landmarks) {
    if (third == one || third == other) continue;
    compare(views, view, {one, third}, {other, third}, tally);
    compare(views, view, {third, one}, {third, other}, tally);
  }
  return tally.compared < 2 ? -1 : static_cast<double>(tally.differing) / tally.compared;
}

std::vector<HostSet> view_clusters(const LoadedViews& views, const LoadedView& view,
                                   const HostSet& hosts, double most_difference) {
  Linkage linkage(views, view, hosts);
  linkage.merge_up_to(most_difference);
  return linkage.clusters();
}

}  // namespace quadrille::probe
