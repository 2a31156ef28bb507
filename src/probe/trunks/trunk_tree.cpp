// SPDX-License-Identifier: BSD-3-Clause
#include "probe/trunks/trunk_tree.h"

#include <algorithm>
#include <numeric>

namespace quadrille::probe {
namespace {

using SegmentSet = std::vector<std::size_t>;

bool holds(const SegmentSet& outer, const SegmentSet& inner) {
  return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

bool disjoint(const SegmentSet& one, const SegmentSet& other) {
  return std::none_of(one.begin(), one.end(), [&](std::size_t segment) {
    return std::binary_search(other.begin(), other.end(), segment);
  });
}

double capacity(const SplitRates& rates) {
  return (rates.out.bit_s ? rates.out.bit_s->value : 0) +
         (rates.in.bit_s ? rates.in.bit_s->value : 0);
}

// The segment that the tree hangs from: one whose own hosts cannot fill what leaves it is nearest
// to the middle.
std::size_t choose_root(const std::vector<SplitRates>& own) {
  std::size_t best = 0;
  for (std::size_t at = 1; at < own.size(); ++at) {
    const bool more_open = own[best].full && !own[at].full;
    const bool as_open = own[best].full == own[at].full;
    if (more_open || (as_open && capacity(own[at]) > capacity(own[best]))) best = at;
  }
  return best;
}

// Turned away from the root, real (neither one segment nor all but one), and compatible with those
// before.
std::vector<Split> usable(std::vector<Split> joint, std::size_t segments, std::size_t root) {
  std::vector<Split> kept;
  for (Split& split : joint) {
    if (std::binary_search(split.segments.begin(), split.segments.end(), root))
      split = other_side(split, segments);
    const bool real = split.segments.size() > 1 && split.segments.size() + 1 < segments;
    const bool fits = std::all_of(kept.begin(), kept.end(), [&](const Split& other) {
      return split.segments != other.segments &&
             (disjoint(split.segments, other.segments) || holds(split.segments, other.segments) ||
              holds(other.segments, split.segments));
    });
    if (real && fits) kept.push_back(std::move(split));
  }
  std::sort(kept.begin(), kept.end(), [](const Split& one, const Split& other) {
    return one.segments.size() > other.segments.size();
  });
  return kept;
}

class Tree {
 public:
  Tree(const std::vector<SplitRates>& own, std::size_t root, std::vector<Split> joint)
      : own_(own), root_(root), joint_(std::move(joint)) {}

  std::vector<TreeNode> build() {
    place_root();
    for (const Split& split : joint_) {
      nodes_.push_back({std::nullopt, parent_of(split.segments), split.rates});
      around_.push_back(split.segments);
    }
    for (std::size_t segment = 0; segment < own_.size(); ++segment) {
      if (segment != root_ || nodes_[0].segment != root_) hang(segment);
    }
    return nodes_;
  }

 private:
  // With two segments, or where its hosts cannot fill what leaves it, the root segment is the
  // middle itself.
  void place_root() {
    const bool is_middle = own_.size() <= 2 || !own_[root_].full;
    nodes_.push_back({is_middle ? std::optional(root_) : std::nullopt, std::nullopt, {}});
    SegmentSet all(own_.size());
    std::iota(all.begin(), all.end(), 0);
    around_.push_back(all);
  }

  // The smallest set so far that holds `segments`: sets come in descending size.
  std::size_t parent_of(const SegmentSet& segments) const {
    std::size_t parent = 0;
    for (std::size_t at = 0; at < around_.size(); ++at) {
      if (holds(around_[at], segments)) parent = at;
    }
    return parent;
  }

  void hang(std::size_t segment) {
    const std::size_t parent = parent_of({segment});
    TreeNode& node = nodes_[parent];
    // A junction whose own hosts never fill the way to it is their switch.
    if (!node.segment && parent != 0 && !own_[segment].full) {
      node.segment = segment;
      return;
    }
    nodes_.push_back({segment, parent, own_[segment]});
    around_.emplace_back();
  }

  const std::vector<SplitRates>& own_;
  std::size_t root_;
  std::vector<Split> joint_;
  std::vector<TreeNode> nodes_;
  std::vector<SegmentSet> around_;  // [nodes], what is below a node; empty for a segment's own
};

}  // namespace

Split other_side(const Split& split, std::size_t segments) {
  Split other{{}, {split.rates.full, split.rates.in, split.rates.out}};
  for (std::size_t segment = 0; segment < segments; ++segment)
    if (!std::ranges::binary_search(split.segments, segment)) other.segments.push_back(segment);
  return other;
}

std::vector<TreeNode> arrange_trunks(const std::vector<SplitRates>& own, std::vector<Split> joint) {
  const std::size_t root = choose_root(own);
  return Tree(own, root, usable(std::move(joint), own.size(), root)).build();
}

}  // namespace quadrille::probe
