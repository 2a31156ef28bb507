// SPDX-License-Identifier: BSD-3-Clause
// Barrier whose release goes to all hosts at once: ranks tell that they have come up a tree of
// trees over segments, hosts and ranks; its top then sends one packet, by multicast.
//
//   4 hosts of two ranks:   1 -> 0, 3 -> 2, 5 -> 4, 7 -> 6    2, 4, 6 -> 0
//                           0 => 2, 4, 6 (one sending)    0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7
//
// between, inside, host, leader, order: as of barrier_hierarchical, and stars: arrivals are small.
//
// Steps:  the depths of the three trees together, one sending, and the depth inside a host.
// Bytes:  no payload; p - 1 messages up, one packet down.
// Needs:  multicast that was seen to reach all hosts, else it is barrier_hierarchical.
// Loses:  where processes outnumber cores: all ranks wake at the same time. It is not tried by
//         itself, only where it is forced.
// Source: as of bcast_multicast; up the tree: Lowekamp and Beguelin, ECO: Efficient Collective
//         Operations for Communication on Heterogeneous Networks, 10th International Parallel
//         Processing Symposium (1996), doi:10.1109/IPPS.1996.508087
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/hierarchy.h"
#include "algorithms/trees/multicast_group.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_barrier_multicast(const Shape&) { return true; }

Schedule generate_barrier_multicast(const GeneratorInput& input) {
  const Hierarchy hierarchy(input);
  const Rank top = hierarchy.leader(hierarchy.centre(), 0);
  const PlaceInTree place = hierarchy.place({.root = top});
  const MulticastGroup group(input, top);
  ScheduleBuilder builder;
  if (!input.view.has_multicast || group.members().size() < 3) {
    arrive_and_release(builder, place);
    return builder.build();
  }
  const std::vector<StepIndex> arrivals = arrive(builder, place);
  group.release_other_hosts(builder, top, arrivals);
  if (group.own_member() == top) {
    const auto host_of = [&](Rank rank) {
      return input.view.host_of_rank[static_cast<std::size_t>(rank)];
    };
    release(builder, place, arrivals, [&](Rank child) { return host_of(child) == host_of(top); });
  }
  return builder.build();
}

}  // namespace quadrille
