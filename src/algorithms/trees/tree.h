// SPDX-License-Identifier: BSD-3-Clause
// Trees over the ranks of a communicator, the patterns that the literature compares itself with:
// the whole tree, seen from its root, with each rank's children in the order in which it serves
// them. A pure function of the view, so that all ranks have the same one. Time and memory
// O(p log p).
//
//   kind     what it knows of the network
//   heap     nothing: the children of vrank v are k v + 1 ... k v + k. k = 1 is a chain, k = p - 1
//            a star.
//   mst      a minimum spanning tree of the distances (same host, same segment, another segment),
//            by Prim's algorithm from rank 0 with ties to the lowest ranks; the same tree for every
//            root.
//   eco      subnets: a heap of k children over the segments, one over the hosts of each segment,
//            one over the ranks of each host. The root is the coordinator of its own segment and
//            host; of the others it is their first rank from the root on. Far children are served
//            first.
//   knomial  nothing: the parent of vrank v has v's digits to the base k but for the last that is
//            not 0, so that whoever has the data takes on k - 1 children a round. k = 2 is the
//            binomial tree, k = p a star. Large subtrees are served first.
//
//   8 ranks in segments 0 3 6 / 1 4 7 / 2 5, root 0, k = 2:
//     heap:     0 -> 1 2, 1 -> 3 4, 2 -> 5 6, 3 -> 7     5 edges of 7 leave a segment
//     mst:      0 -> 1 2 3 6, 1 -> 4 7, 2 -> 5           2 edges of 7 do
//     eco:      0 -> 1 2 3 6, 1 -> 4 7, 2 -> 5           as mst, but from each root anew
//     knomial:  0 -> 4 2 1, 4 -> 6 5, 2 -> 3, 6 -> 7     all edges do
//
// Sources: Prim, Shortest connection networks and some generalizations, Bell System Technical
//          Journal 36 (1957), doi:10.1002/j.1538-7305.1957.tb01515.x; Lowekamp and Beguelin, ECO:
//          Efficient Collective Operations for Communication on Heterogeneous Networks,
//          10th International Parallel Processing Symposium (1996), sections 4 and 5. The paper
//          leaves open the degree of the tree over subnets and the order of service; k and "far
//          first" are taken here. Wilkins et al., Generalized Collective Algorithms for the
//          Exascale Era, IEEE Cluster (2023), doi:10.1109/CLUSTER52292.2023.00013 (k-nomial trees)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/trees/place_in_tree.h"
#include "network/topology_view.h"

namespace quadrille {

enum class TreeKind : std::uint8_t { heap, mst, eco, knomial };

struct TreePattern {
  TreeKind kind = TreeKind::heap;
  // Children of a rank in a heap, of a coordinator on each level of eco; the base of a k-nomial
  // tree, where 1 counts as 2.
  std::int64_t k = 2;
};

class Tree {
 public:
  // REQUIRES: pattern.k >= 1; 0 <= root < ranks of `view`.
  Tree(const TreePattern& pattern, const TopologyView& view, Rank root);
  // REQUIRES: the edges, either end of each first, join all ranks from 0 on; 0 <= root <= edges.
  Tree(const std::vector<TreeEdge>& edges, Rank root);

  Rank ranks() const { return static_cast<Rank>(parent_.size()); }
  Rank parent(Rank rank) const { return parent_[static_cast<std::size_t>(rank)]; }  // root: -1
  std::span<const Rank> children(Rank rank) const;
  PlaceInTree place(Rank rank) const;

  // `rank`, then the subtrees of its children in their order, each in the same way: that of a child
  // is one run of it.
  std::vector<Rank> subtree(Rank rank) const;

 private:
  void root_at(Rank root, const std::vector<TreeEdge>& edges);

  std::vector<Rank> parent_;
  std::vector<Rank> children_;            // of rank 0, of rank 1, ...
  std::vector<std::size_t> first_child_;  // [ranks + 1], into children_
};

// The tree that an algorithm's parameters `kind` (heap, mst, eco, knomial) and `k` name; a k of 0
// counts as 1.
Tree tree_of(const GeneratorInput& input, Rank root);

// Into how many pieces the parameter `segment` (bytes; 0: one piece) cuts `elements` of the call.
std::uint64_t piece_count(const GeneratorInput& input, std::uint64_t elements);

}  // namespace quadrille
