// SPDX-License-Identifier: BSD-3-Clause
// Who talks to whom, and how much: what a program tells by its cartesian grid or graph. Undirected:
// an edge's weight is what both ranks send to each other together. Immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace quadrille {

struct Exchange {
  Rank one = 0;
  Rank other = 0;
  std::uint64_t weight = 1;
};

class CommunicationGraph {
 public:
  struct Neighbour {
    Rank rank = 0;
    std::uint64_t weight = 0;
  };

  // Exchanges of the same two ranks add up; those of a rank with itself and of weight 0 count for
  // nothing. Where all weights together exceed 2^40 they are halved alike until they do not, none
  // below 1.
  // REQUIRES: ranks >= 0; 0 <= one, other < ranks.
  CommunicationGraph(Rank ranks, const std::vector<Exchange>& exchanges);

  Rank ranks() const { return static_cast<Rank>(first_.size()) - 1; }
  std::size_t edges() const { return neighbours_.size() / 2; }
  // In the order of their ranks.
  std::span<const Neighbour> neighbours(Rank rank) const {
    const auto at = static_cast<std::size_t>(rank);
    return {neighbours_.data() + first_[at], neighbours_.data() + first_[at + 1]};
  }

 private:
  std::vector<std::size_t> first_;  // [ranks + 1], into neighbours_
  std::vector<Neighbour> neighbours_;
};

// A cartesian grid as MPI_Cart_create numbers it: the last coordinate varies fastest.
struct Grid {
  std::vector<Rank> sizes;
  std::vector<bool> periodic;  // [dimensions]

  // REQUIRES: sizes of 1 or more, whose product a Rank holds.
  Rank cells() const;
};

// Each rank exchanges 1 with each of its neighbours in the grid, over both borders of a periodic
// dimension of two. Ranks beyond the grid exchange nothing.
// REQUIRES: grid.cells() <= ranks.
CommunicationGraph graph_of(const Grid& grid, Rank ranks);

}  // namespace quadrille
