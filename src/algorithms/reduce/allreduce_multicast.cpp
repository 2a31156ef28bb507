// SPDX-License-Identifier: BSD-3-Clause
// Allreduce whose result goes to all hosts at once: sums move up a tree of trees over segments,
// hosts and ranks, piece by piece; what is complete at its top is sent once, by multicast.
//
// between, inside, host, segment, leader, order: as of allreduce_hierarchical.
//
// Steps:  the depths of the three trees together and one sending, and a piece's time for each
//         further piece.
// Bytes:  up the tree every rank sends m; down every link, bus and trunk carries m once.
// Needs:  a commuting operation; multicast that was seen to reach all hosts, else as
//         bcast_multicast.
// Loses:  at large m on switches: allreduce_rabenseifner cuts the message.
// Source: as of bcast_multicast; up the tree: Lowekamp and Beguelin, ECO: Efficient Collective
//         Operations for Communication on Heterogeneous Networks, 10th International Parallel
//         Processing Symposium (1996), doi:10.1109/IPPS.1996.508087
#include "algorithms/algorithm.h"
#include "algorithms/segments.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/hierarchy.h"
#include "algorithms/trees/multicast_group.h"

namespace quadrille {

bool supports_allreduce_multicast(const Shape& shape) { return shape.commutative; }

Schedule generate_allreduce_multicast(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Hierarchy hierarchy(input);
  const Rank top = hierarchy.leader(hierarchy.centre(), 0);
  const PlaceInTree place = hierarchy.place({.root = top});
  const MulticastGroup group(input, top);
  const Region result{Buffer::receive, 0, shape.count};
  const std::int64_t segment_bytes = input.parameters["segment"];
  const std::uint64_t pieces = segment_bytes == 0 ? 1 : segment_count(shape, segment_bytes);
  ScheduleBuilder builder;
  CombineUp up(builder, place,
               {contribution(shape, input.rank), input.rank == top ? result : Region{}}, pieces);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) up.combine(piece);
  for (std::uint64_t piece = 0; piece < pieces; ++piece)
    group.bcast(builder, result.segment(piece, pieces), top);
  return builder.build();
}

}  // namespace quadrille
