// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a tree of trees: between segments, inside each, on each host.
//
// One host of each segment hears from another segment and passes every piece on at once, to other
// segments first, then inside its own: so the message crosses each trunk once, and pieces follow
// one another through all levels. With several leaders the message is cut into a share for each:
// the root gives every other host of its segment one share, each sends its own to its counterparts
// in the other segments and to the rest of its own segment. Then no port carries more than about
// the message, which suits switches; buses gain nothing by it.
//
//   5 ranks in segments 0 2 4 / 1 3, root 0:
//     leaders=1:  0 -> 1 -> 3, 0 -> 2 -> 4
//     leaders=0:  share a: 0 -> 2 -> 1 -> 3, 2 -> 4     share b: 0 -> 4 -> 3 -> 1, 4 -> 2
//
// between  trunks: along the trunks, one way through every segment; chain, binomial, star: over the
//          segments in the order of a walk along the trunks, from the root's on
// inside   chain, binomial or star over a segment's hosts: one for all segments, or one for each in
//          the model's order, star/chain/binomial, where the last also holds for all that follow
// host     over a host's ranks; library: the MPI library's own collective on these, where there are
//          islands on an island's alone
// segment  bytes of a piece, 0: the whole share
// leaders  how many hosts lead, 0: all but the root's; leader: the first of them, counted on
// order    k-th permutation of the segments' order; 0: small branches first
//
// Steps:  the depths of the three trees together, and a piece's time for each further piece.
// Bytes:  every rank receives m; a bus of h hosts carries h - 1 times m and m for each edge
//         between segments that ends at it; a trunk m in each direction that leads away.
// Needs:  nothing, no scratch.
// Loses:  on one segment against bcast_binomial at small m; wrong segments cost as much as none.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996),
//         doi:10.1109/IPPS.1996.508087
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/hierarchy.h"
#include "algorithms/trees/lanes.h"

namespace quadrille {

bool supports_bcast_hierarchical(const Shape&) { return true; }

Schedule generate_bcast_hierarchical(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Hierarchy hierarchy(input);
  const Lanes lanes = lanes_from_root(hierarchy, input);
  if (lanes.size() == 1) return bcast_over(lanes.places.front(), shape, lanes.pieces);
  const Region data{Buffer::receive, 0, shape.count};
  ScheduleBuilder builder;
  for (std::uint64_t piece = 0; piece < lanes.pieces; ++piece) {
    for (std::uint64_t lane = 0; lane < lanes.size(); ++lane) {
      pass_down(builder, lanes.places[lane], lanes.share(data, lane).segment(piece, lanes.pieces));
    }
  }
  return builder.build();
}

}  // namespace quadrille
