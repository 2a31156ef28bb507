// SPDX-License-Identifier: BSD-3-Clause
// Trees composed of a tree between segments, one over the hosts inside each segment and one over
// the ranks on each host, each of its own pattern. In every segment one host leads: it alone hears
// from other segments, so that data cross each trunk once. A leader serves other segments first,
// then its own segment, then its own host.
//
//   segments 0 3 6 / 1 4 7 / 2 5 at one junction, root 0:    0 -> 2 -> 1    between (trunks)
//                                                            0 -> 3 -> 6, 2 -> 5, 1 -> 4 -> 7
//
// Operations that cut their data into shares give each share a lane, a tree with other leaders.
//
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996),
//         sections 4 and 5; doi:10.1109/IPPS.1996.508087
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/trees/place_in_tree.h"
#include "algorithms/trees/segment_layout.h"

namespace quadrille {

enum class RootRole : std::uint8_t {
  leads,       // the root leads its own segment in every lane
  hands_over,  // the root gives each lane's share to another host of its segment, which leads there
};

// The root's rank, and which choice of leaders.
struct TreeChoice {
  Rank root = 0;
  std::uint64_t lane = 0;
  RootRole role = RootRole::leads;
};

class Hierarchy {
 public:
  // Of the parameters `between`, `inside` (of each of the view's segments), `host`, `leader` and
  // `order`; borrows the view.
  explicit Hierarchy(const GeneratorInput& input);

  // This rank's place; its depth is known where the root leads. Time O(children + log p), of
  // between=star O(segments).
  PlaceInTree place(const TreeChoice& tree) const;
  // What the places of all ranks make together: every edge stands behind that above it, and a
  // rank's own stand in the order in which it serves its children. Time O(p).
  std::vector<TreeEdge> edges(const TreeChoice& tree) const;

  // Segments are numbered by their place in the layout.
  Rank segments() const { return static_cast<Rank>(hosts_in_.size()); }
  Rank segment_of(Rank rank) const;
  std::uint64_t hosts_in(Rank segment) const { return list_of(segment).size(); }
  // The rank's number in its segment: the first rank of each host, then the second of each, so that
  // lanes of neighbouring numbers have other hosts as leaders.
  std::uint64_t lane_of(Rank rank) const;
  // The rank that leads `segment` in a lane, unless the root is in it.
  Rank leader(Rank segment, std::uint64_t lane) const;
  // A segment from which the others are reached in few steps.
  Rank centre() const { return centre_; }

 private:
  struct Host {
    Rank segment = 0;
    Rank index = 0;  // in its segment
    std::vector<Rank> ranks;
  };
  // The hosts of a segment in the order in which one tree serves them.
  struct Service;

  const std::vector<std::uint32_t>& list_of(Rank segment) const {
    return hosts_in_[static_cast<std::size_t>(segment)];
  }
  const Host& host_of(Rank rank) const;
  Service service(Rank segment, const TreeChoice& tree) const;
  Rank entry(const Host& host, const TreeChoice& tree) const;
  Rank leading_rank(Rank segment, const TreeChoice& tree) const;
  PlaceInTree place_on_host(const Host& host, Rank entry) const;
  PlaceInTree place_between(Rank root_segment) const;
  PlaceInTree place_inside(const Service& service, Rank position) const;
  std::vector<TreeEdge> edges_between(Rank root_segment) const;  // of segments
  void measure_ways();

  const TopologyView& view_;
  const Rank self_;
  const std::string_view between_;
  const GroupPattern host_pattern_;
  const std::uint64_t first_leader_;
  SegmentLayout layout_;
  std::vector<GroupPattern> inside_;  // by segment
  std::vector<Host> hosts_;
  std::vector<std::vector<std::uint32_t>> hosts_in_;  // by segment
  std::vector<Rank> index_on_host_;                   // by rank
  std::vector<Rank> first_hop_;  // from the own segment towards each other, along the tree
  std::vector<Rank> distance_;   // edges of the tree between
  Rank centre_ = 0;
};

}  // namespace quadrille
