// SPDX-License-Identifier: BSD-3-Clause
// The messages of a hierarchical algorithm without anybody's schedule: its trees, each of which
// carries a share of the data in pieces one behind the other, all trees at the same time.
//
// How the data are cut is told apart from the trees, so that a tree that was looked at once is
// costed for any size of pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/trees/place_in_tree.h"

namespace quadrille {

struct TreeTraffic {
  std::vector<TreeEdge> edges;  // tree after tree; in each every edge behind that above it
  std::uint64_t trees = 1;      // that are described
  std::uint64_t all_trees = 1;  // where there are too many, each described one stands for several
  // A rank turns to its trees one after the other, piece by piece, so that messages between two
  // ranks follow each other in that order.
  bool in_turn = false;
  bool up = false;    // pieces are combined up the trees, or
  bool down = false;  // passed down; or first the one, then the other
};

// Of the data that one tree carries. REQUIRES: `traffic` is that of `algorithm` and `input`.
struct TreePieces {
  std::uint64_t bytes = 0;  // the most in one piece
  std::uint64_t count = 1;
};
TreePieces tree_pieces(const Algorithm& algorithm, const GeneratorInput& input,
                       const TreeTraffic& traffic);

// Whether the algorithm goes along trees of the network.
bool has_tree_traffic(const Algorithm& algorithm);

// input.rank may be any. REQUIRES: has_tree_traffic(algorithm), and it supports input.shape.
TreeTraffic tree_traffic(const Algorithm& algorithm, const GeneratorInput& input);

}  // namespace quadrille
