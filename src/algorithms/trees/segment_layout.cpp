// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/segment_layout.h"

#include <algorithm>
#include <cassert>

#include "base/disjoint_sets.h"

namespace quadrille {
namespace {

constexpr std::uint32_t nobody = 0xffffffffU;

// The places that hosts are in or that lie between them, as a tree, and the walk through it.
class Walk {
 public:
  Walk(const TopologyView& view, std::uint64_t permutation) {
    std::uint32_t places = 0;
    for (const std::uint32_t segment : view.segment_of_host) places = std::max(places, segment + 1);
    for (const auto& trunk : view.trunks)
      places = std::max({places, trunk.first + 1, trunk.second + 1});
    hosts_.assign(places, 0);
    for (const std::uint32_t segment : view.segment_of_host) ++hosts_[segment];
    join(view);
    drop_dead_ends();
    prefer(permutation);
  }

  SegmentLayout run() {
    std::uint32_t start = nobody;
    for (std::uint32_t place = 0; place < hosts_.size(); ++place) {
      if (hosts_[place] == 0 || beyond_[place].size() > 1) continue;
      if (start == nobody || preference_[start] < preference_[place]) start = place;
    }
    assert(start != nobody);
    find_best_beyond(start);
    visit(start, nobody, -1);
    return std::move(layout_);
  }

 private:
  // Keeps the trunks that close no ring; what they leave apart meets in one more junction.
  void join(const TopologyView& view) {
    DisjointSets parts(hosts_.size());
    beyond_.resize(hosts_.size());
    for (const auto& trunk : view.trunks) {
      if (parts.join(trunk.first, trunk.second)) connect(trunk.first, trunk.second);
    }
    const auto junction = static_cast<std::uint32_t>(hosts_.size());
    hosts_.push_back(0);
    beyond_.emplace_back();
    for (std::uint32_t place = 0; place < junction; ++place) {
      if (parts.representative(place) == place) connect(place, junction);
    }
  }

  void connect(std::uint32_t one, std::uint32_t other) {
    beyond_[one].push_back(other);
    beyond_[other].push_back(one);
  }

  void drop_dead_ends() {
    std::vector<std::uint32_t> ends;
    for (std::uint32_t place = 0; place < hosts_.size(); ++place) ends.push_back(place);
    while (!ends.empty()) {
      const std::uint32_t end = ends.back();
      ends.pop_back();
      if (hosts_[end] > 0 || beyond_[end].size() != 1) continue;
      const std::uint32_t last = beyond_[end].front();
      beyond_[end].clear();
      std::erase(beyond_[last], end);
      ends.push_back(last);
    }
  }

  // Segments by ascending number of hosts, then permuted: the digits of k to the bases n, n - 1,
  // n - 2, ... say which of those left comes next.
  void prefer(std::uint64_t permutation) {
    std::vector<std::uint32_t> left;
    for (std::uint32_t place = 0; place < hosts_.size(); ++place) {
      if (hosts_[place] > 0) left.push_back(place);
    }
    std::stable_sort(left.begin(), left.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return hosts_[a] < hosts_[b]; });
    for (std::size_t base = left.size(); base > 1; --base) {
      const auto digit = static_cast<std::ptrdiff_t>(permutation % base);
      permutation /= base;
      const auto tail = left.end() - static_cast<std::ptrdiff_t>(base);
      std::rotate(tail, tail + digit, tail + digit + 1);
    }
    preference_.assign(hosts_.size(), nobody);
    for (std::uint32_t i = 0; i < left.size(); ++i) preference_[left[i]] = i;
  }

  // best_[place]: the most preferred segment at the place or beyond it, seen from `start`.
  void find_best_beyond(std::uint32_t start) {
    best_ = preference_;
    std::vector<std::uint32_t> order{start};
    std::vector<std::uint32_t> from(hosts_.size(), nobody);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const std::uint32_t next : beyond_[order[i]]) {
        if (next == from[order[i]]) continue;
        from[next] = order[i];
        order.push_back(next);
      }
    }
    for (std::size_t i = order.size(); i-- > 1;) {
      std::uint32_t& above = best_[from[order[i]]];
      above = std::min(above, best_[order[i]]);
    }
  }

  // Lays out what lies at `place` and beyond it, `from` being where the walk comes from and `last`
  // the segment there, or -1. Returns the first segment it meets.
  Rank visit(std::uint32_t place, std::uint32_t from, Rank last) {
    std::vector<std::uint32_t> onward = beyond_[place];
    std::erase(onward, from);
    std::sort(onward.begin(), onward.end(),
              [&](std::uint32_t a, std::uint32_t b) { return best_[a] < best_[b]; });
    if (hosts_[place] > 0) {
      const auto self = static_cast<Rank>(layout_.segments.size());
      layout_.segments.push_back(place);
      layout_.neighbours.emplace_back();
      if (last >= 0) {
        layout_.neighbours[static_cast<std::size_t>(last)].push_back(self);
        layout_.neighbours.back().push_back(last);
      }
      for (const std::uint32_t next : onward) visit(next, place, self);
      return self;
    }
    Rank first = -1;
    for (const std::uint32_t next : onward) {
      last = visit(next, place, last);
      if (first < 0) first = last;
    }
    return first;
  }

  std::vector<std::uint32_t> hosts_;  // by place, the last one being the junction of all parts
  std::vector<std::vector<std::uint32_t>> beyond_;
  std::vector<std::uint32_t> preference_;
  std::vector<std::uint32_t> best_;
  SegmentLayout layout_;
};

}  // namespace

SegmentLayout lay_out_segments(const TopologyView& view, std::uint64_t permutation) {
  return Walk(view, permutation).run();
}

}  // namespace quadrille
