// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a tree of the reference patterns: star, k-ary heap, k-nomial tree, minimum
// spanning tree, ECO's.
//
// Every rank passes the message on to its children in the tree as soon as it has it. `kind` names
// the tree: a heap of k children, a minimum spanning tree, ECO's tree over subnets with k children
// on each level, or a k-nomial tree, in which every rank that has the message takes on k - 1
// children a round. k = 1 makes the heap a chain, k from p - 1 on a star; `segment` > 0 cuts the
// message into pieces that follow each other down the tree. With `in_turn` = 1 a child says when it
// has a piece, and only then is the next one sent to: sends that start together share cables in an
// order that is TCP's own, and all of them arrive late. Published libraries are compared by these
// patterns, and their messages left one after the other.
//
//   5 ranks, root 0:   heap, k = 2:   0         mst and eco, segments 0 1 / 2 3 4:   0
//                                   1   2                                           2 1
//                                  3 4                                             3 4
//                      knomial, k = 3:   0 -> 3 1 2, 3 -> 4
//
// Steps:  as deep as the tree, a rank serving its children one after the other: k ceil(log_k p)
//         for a heap, (k - 1) ceil(log_k p) for a k-nomial tree; with S segments, S - 1 rounds
//         more, of as many messages as the root has children.
// Bytes:  every rank receives m and sends m to each child; in turn, 0 bytes come back.
// Needs:  nothing, no scratch. Without segments in the view mst is a star and eco a heap.
// Loses:  against pipelines at large m; heap, star and k-nomial tree where segments share a slow
//         cable, which they cross several times with the same bytes.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996); Prim,
//         Shortest connection networks and some generalizations, Bell System Technical Journal 36
//         (1957), doi:10.1002/j.1538-7305.1957.tb01515.x; Wilkins et al., Generalized Collective
//         Algorithms for the Exascale Era, IEEE Cluster (2023),
//         doi:10.1109/CLUSTER52292.2023.00013
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/tree.h"
#include "schedule/builder.h"

namespace quadrille {
namespace {

Schedule bcast_in_turn(const PlaceInTree& place, const Shape& shape, std::uint64_t pieces) {
  ScheduleBuilder builder;
  const Region data{Buffer::receive, 0, shape.count};
  StepIndex arrived = ScheduleBuilder::no_step;  // the last piece sent, at the child it was sent to
  for (std::uint64_t index = 0; index < pieces; ++index) {
    const Region piece = data.segment(index, pieces);
    if (piece.length == 0) continue;
    if (place.parent >= 0) {
      const StepIndex received = builder.receive(place.parent, piece);
      builder.send_ready(place.parent, {received});
    }
    for (const Rank child : place.children) {
      builder.send(child, piece, {arrived});
      arrived = builder.receive_ready(child);
    }
  }
  return builder.build();
}

}  // namespace

bool supports_bcast_tree(const Shape&) { return true; }

Schedule generate_bcast_tree(const GeneratorInput& input) {
  const PlaceInTree place = tree_of(input, input.shape.root).place(input.rank);
  const std::uint64_t pieces = piece_count(input, input.shape.count);
  return input.parameters["in_turn"] != 0 ? bcast_in_turn(place, input.shape, pieces)
                                          : bcast_over(place, input.shape, pieces);
}

}  // namespace quadrille
