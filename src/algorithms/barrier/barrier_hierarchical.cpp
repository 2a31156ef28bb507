// SPDX-License-Identifier: BSD-3-Clause
// Barrier up and down a tree of trees: on each host, inside each segment, between segments.
//
// It is barrier_binomial on a tree that crosses between segments as seldom as can be: one message
// up and one down for each segment but the central one.
//
//   5 ranks in segments 0 2 4 / 1 3:   up:   4 -> 0, 2 -> 0, 3 -> 1, then 1 -> 0
//                                      down: 0 -> 1, 0 -> 2, 0 -> 4, 1 -> 3
//
// Parameters as of bcast_hierarchical.
//
// Steps:  twice the depths of the three trees together; p - 1 messages up and p - 1 down.
// Bytes:  no payload.
// Needs:  nothing.
// Loses:  against barrier_dissemination where ways between segments are as short as inside.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996),
//         doi:10.1109/IPPS.1996.508087
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/hierarchy.h"

namespace quadrille {

bool supports_barrier_hierarchical(const Shape&) { return true; }

Schedule generate_barrier_hierarchical(const GeneratorInput& input) {
  const Hierarchy hierarchy(input);
  const TreeChoice tree{.root = hierarchy.leader(hierarchy.centre(), 0)};
  ScheduleBuilder builder;
  arrive_and_release(builder, hierarchy.place(tree));
  return builder.build();
}

}  // namespace quadrille
