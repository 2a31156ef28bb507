// SPDX-License-Identifier: BSD-3-Clause
// Reduction up a tree of trees: on each host, inside each segment, between segments.
//
// It is bcast_hierarchical backwards: every rank combines what comes from below with its own
// contribution, piece by piece, and one host of each segment passes the segment's sum on. With
// several leaders each sums a share of the vector over its segment and over the others'
// counterparts and hands it to the root, so that no port carries more than about the vector.
//
//   5 ranks in segments 0 2 4 / 1 3, root 0:
//     leaders=1:  3 -> 1 -> 0, 4 -> 2 -> 0
//     leaders=0:  share a: 3 -> 1 -> 2 -> 0, 4 -> 2     share b: 1 -> 3 -> 4 -> 0, 2 -> 4
//
// Parameters as of bcast_hierarchical.
//
// Steps:  the depths of the three trees together, and a piece's time for each further piece.
// Bytes:  every rank but the root sends m; a bus of h hosts carries h - 1 times m and m for each
//         edge between segments that ends at it; a trunk m in each direction that leads to the
//         root.
// Needs:  a commuting operation; scratch for 4 pieces of each share, 2 shares where they are whole.
// Loses:  on one segment against reduce_binomial at small m and reduce_chain at large m.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996),
//         doi:10.1109/IPPS.1996.508087
#include <deque>

#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/lanes.h"

namespace quadrille {

bool supports_reduce_hierarchical(const Shape& shape) { return shape.commutative; }

Schedule generate_reduce_hierarchical(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Hierarchy hierarchy(input);
  const Lanes lanes = lanes_from_root(hierarchy, input);
  const Region own = contribution(shape, input.rank);
  const Region result{Buffer::receive, 0, input.rank == shape.root ? shape.count : 0};
  ScheduleBuilder builder;
  std::deque<CombineUp> up;
  for (std::uint64_t lane = 0; lane < lanes.size(); ++lane) {
    up.emplace_back(builder, lanes.places[lane],
                    CombineUp::Places{lanes.share(own, lane), lanes.share(result, lane)},
                    lanes.pieces);
  }
  for (std::uint64_t piece = 0; piece < lanes.pieces; ++piece) {
    for (CombineUp& lane : up) lane.combine(piece);
  }
  return builder.build();
}

}  // namespace quadrille
