// SPDX-License-Identifier: BSD-3-Clause
// Average linkage in O(n^3) steps over a table of differences: 256 hosts take some ten
// milliseconds.
#include "probe/segments/view_clusters.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "probe/rates/host_rates.h"

namespace quadrille::probe {
namespace {

// Hosts that differ in no more of their ways are alike.
constexpr double kAlike = 0.12;
// A wait below this share of another one is clearly shorter: full queues breathe, and deep ones
// grow while watched.
constexpr double kClearlyShorter = 0.35;
constexpr double kBreath = 0.5;  // of a full queue's wait, between one datagram and another

// Waits less what a host's own cable accounts for: its least wait towards anybody, and anybody's
// least towards it. What is left is between the hosts.
struct Residuals {
  const LoadedViews& views;
  double breath;  // of a host's own full queue
  PairTable<Wait> waits;
  std::vector<std::int64_t> own_out_ns;  // [hosts] what was taken off, the longer of both halves
  std::vector<std::int64_t> own_in_ns;

  // A host's own queue is not as full for each datagram: what is left of a long wait there is no
  // sign of anything.
  std::int64_t floor_ns(std::pair<HostIndex, HostIndex> way) const {
    const std::int64_t own_ns = own_out_ns[way.first] + own_in_ns[way.second];
    return views.floor_ns(way.first, way.second) +
           static_cast<std::int64_t>(breath * static_cast<double>(own_ns));
  }
};

std::int64_t& half_of(Wait& wait, bool second) {
  return second ? wait.second_half_ns : wait.first_half_ns;
}

Residuals residuals_of(const LoadedViews& views, const LoadedView& view) {
  const auto hosts = static_cast<HostIndex>(view.waits.hosts());
  // Alone we leave room on every cable, and a queue that is full for a moment tells nothing of
  // others.
  Residuals residuals{views, quiet(views.cables()) ? 0 : kBreath, view.waits,
                      std::vector<std::int64_t>(hosts), std::vector<std::int64_t>(hosts)};
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
        if (least == std::numeric_limits<std::int64_t>::max()) continue;  // no way is known
        for (HostIndex third = 0; third < hosts; ++third) {
          if (cell(third).known) half_of(cell(third), second) -= least;
        }
        auto& taken_off = (from ? residuals.own_out_ns : residuals.own_in_ns)[own];
        taken_off = std::max(taken_off, least);
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
  if (!is_standing(longer, residuals.floor_ns(first_longer ? way : other_way))) return;
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

// Two clusters that became one, each named by the place of its first host.
struct Merge {
  HostIndex into = 0;
  HostIndex from = 0;
  double difference = 0;
};

// Distances between clusters, merged by the mean over pairs of hosts (Lance and Williams).
class Linkage {
 public:
  Linkage(const Residuals& residuals, const HostSet& landmarks, const HostSet& hosts)
      : sizes_(hosts.size(), 1), distance_(hosts.size(), 0.0) {
    for (HostIndex one = 0; one < hosts.size(); ++one) {
      for (HostIndex other = 0; other < one; ++other) {
        set(one, other, difference(residuals, landmarks, hosts[one], hosts[other]));
      }
    }
  }

  std::vector<Merge> merge_up_to(double most_difference) {
    std::vector<Merge> merges;
    while (const auto next = nearest(most_difference)) {
      merges.push_back(*next);
      merge(next->into, next->from);
    }
    return merges;
  }

 private:
  bool is_merged(HostIndex cluster) const { return sizes_[cluster] == 0; }

  std::optional<Merge> nearest(double most_difference) const {
    std::optional<Merge> best;
    for (HostIndex one = 0; one < sizes_.size(); ++one) {
      if (is_merged(one)) continue;
      for (HostIndex other = 0; other < one; ++other) {
        const double distance = distance_.at(one, other);
        if (is_merged(other) || distance > (best ? best->difference : most_difference)) continue;
        best = Merge{other, one, distance};
      }
    }
    return best;
  }

  void set(HostIndex one, HostIndex other, double value) {
    distance_.at(one, other) = value;
    distance_.at(other, one) = value;
  }

  void merge(HostIndex into, HostIndex from) {
    const auto weight = static_cast<double>(sizes_[into]);
    const auto added = static_cast<double>(sizes_[from]);
    for (HostIndex third = 0; third < sizes_.size(); ++third) {
      if (third == into || third == from || is_merged(third)) continue;
      set(into, third,
          (weight * distance_.at(into, third) + added * distance_.at(from, third)) /
              (weight + added));
    }
    sizes_[into] += sizes_[from];
    sizes_[from] = 0;
  }

  std::vector<std::size_t> sizes_;  // hosts of each cluster; 0 where it was merged into another
  PairTable<double> distance_;
};

std::vector<HostSet> clusters_after(std::span<const Merge> merges, const HostSet& hosts) {
  std::vector<HostSet> clusters;
  for (const HostIndex host : hosts) clusters.push_back({host});
  for (const Merge& merge : merges) {
    HostSet& into = clusters[merge.into];
    HostSet& from = clusters[merge.from];
    into.insert(into.end(), from.begin(), from.end());
    from.clear();
  }
  std::erase_if(clusters, [](const HostSet& cluster) { return cluster.empty(); });
  for (HostSet& cluster : clusters) std::sort(cluster.begin(), cluster.end());
  std::sort(clusters.begin(), clusters.end());
  return clusters;
}

// Where the differences at which clusters merge leap: below are hosts of one cluster that a noisy
// machine shows unlike, above are those that something parts.
double leap_of(std::span<const Merge> merges) {
  std::vector<double> differences;
  for (const Merge& merge : merges) differences.push_back(merge.difference);
  std::sort(differences.begin(), differences.end());
  double widest = 0;
  double leap = kAlike;
  double below = 0;
  for (const double difference : differences) {
    if (difference > kAlike && difference - below > widest) {
      widest = difference - below;
      leap = std::max(kAlike, (below + difference) / 2);
    }
    below = difference;
  }
  return leap;
}

}  // namespace

std::vector<HostSet> view_clusters(const LoadedViews& views, const LoadedView& view,
                                   const HostSet& hosts, std::optional<double> most_difference) {
  Linkage linkage(residuals_of(views, view), view.landmarks, hosts);
  const std::vector<Merge> merges = linkage.merge_up_to(most_difference.value_or(1));
  const double most = most_difference ? *most_difference : leap_of(merges);
  // Linkage up to a lower difference begins with the same merges and ends before the first above.
  const auto end =
      std::ranges::find_if(merges, [&](const Merge& merge) { return merge.difference > most; });
  return clusters_after({merges.begin(), end}, hosts);
}

HostSet with_likest(const LoadedViews& views, const LoadedView& view, const HostSet& cluster,
                    std::size_t more) {
  const Residuals residuals = residuals_of(views, view);
  std::vector<std::pair<double, HostIndex>> distances;
  for (const HostIndex host : views.hosts()) {
    if (contains(cluster, host)) continue;
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
