// SPDX-License-Identifier: BSD-3-Clause
// Allreduce up and down trees of trees, one for each share of the vector.
//
// Each share has a leader in every segment: it sums the share over its segment, the sums go along
// the segments to the leader in the central one, and the result comes back the same way. With as
// many leaders as hosts this is a reduce-scatter inside each segment, an exchange of shares between
// segments and an allgather inside; with one leader it is a reduction and a broadcast over one
// tree, whose pieces are under way in both directions at once. Each share is summed in one place,
// so that all ranks hold the same bits.
//
//   5 ranks in segments 0 2 4 / 1 3, leaders=0, share a:   2, 4 -> 0; 3 -> 1; 1 -> 0
//                                                          0 -> 1 -> 3; 0 -> 2, 4
//                                             share b:     0, 4 -> 2; 1 -> 3; 3 -> 2; and back
//                                             share c:     0, 2 -> 4; 3 -> 1; 1 -> 4; and back
//
// Parameters as of bcast_hierarchical; leaders=0: the number of hosts in the central segment.
//
// Steps:  twice the depths of the three trees together, and a piece's time for each further piece.
// Bytes:  a trunk carries m in each direction, a bus of h hosts 2 m for each of h - 1 hosts and for
//         each edge between segments that ends at it; with leaders=0 and inside=star a port about
//         2 m in each direction and what its shares' crossings add.
// Needs:  a commuting operation; scratch for 4 pieces of each share, 2 shares where they are whole.
// Loses:  on one segment against allreduce_ring and allreduce_rabenseifner.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996),
//         doi:10.1109/IPPS.1996.508087
#include <deque>

#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/lanes.h"

namespace quadrille {

bool supports_allreduce_hierarchical(const Shape& shape) { return shape.commutative; }

Schedule generate_allreduce_hierarchical(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Hierarchy hierarchy(input);
  const Lanes lanes = lanes_from_centre(hierarchy, input);
  const Region own = contribution(shape, input.rank);
  const Region result{Buffer::receive, 0, shape.count};
  ScheduleBuilder builder;
  std::deque<CombineUp> up;
  for (std::uint64_t lane = 0; lane < lanes.size(); ++lane) {
    const bool is_top = lanes.places[lane].is_top();
    up.emplace_back(
        builder, lanes.places[lane],
        CombineUp::Places{lanes.share(own, lane), is_top ? lanes.share(result, lane) : Region{}},
        lanes.pieces);
  }
  // Where sums of one lane and results of another go the same way, results stand so far behind
  // that no sum waits for one that has not come back yet.
  const auto behind = lanes.size() > 1 ? static_cast<std::uint64_t>(hierarchy.segments()) + 2 : 0;
  for (std::uint64_t turn = 0; turn < lanes.pieces + behind; ++turn) {
    if (turn < lanes.pieces) {
      for (CombineUp& lane : up) lane.combine(turn);
    }
    if (turn < behind) continue;
    for (std::uint64_t lane = 0; lane < lanes.size(); ++lane) {
      pass_down(builder, lanes.places[lane],
                lanes.share(result, lane).segment(turn - behind, lanes.pieces));
    }
  }
  return builder.build();
}

}  // namespace quadrille
