// SPDX-License-Identifier: BSD-3-Clause
// Broadcast of a small message: from leader to leader of the hosts along a binomial tree, and from
// each to its host's ranks by one write to memory that all of them read. The root leads its own
// host.
//
//   3 hosts of two ranks, root 1:   1 -> 4, 1 -> 2    1 ~ 0, 2 ~ 3, 4 ~ 5 (memory)
//
// Steps:  ceil(log2 h) messages deep for h hosts, one in memory.
// Bytes:  h - 1 times m between hosts.
// Needs:  memory that the ranks of a host share.
// Loses:  where hosts have one rank each.
// Source: Kielmann et al., MagPIe: MPI's Collective Communication Operations for Clustered Wide
//         Area Systems, 7th Symposium on Principles and Practice of Parallel Programming (1999),
//         doi:10.1145/301104.301116: one rank speaks for those around it. Memory within hosts:
//         Tipparaju, Nieplocha and Panda, Fast Collective Operations Using Shared and Remote Memory
//         Access Protocols on Clusters, 17th International Parallel and Distributed Processing
//         Symposium (2003)
#include "algorithms/algorithm.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/two_levels.h"

namespace quadrille {

bool supports_bcast_two_level(const Shape& shape) { return fits_host_memory(shape); }

Schedule generate_bcast_two_level(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const TwoLevels levels(input, shape.root);
  Schedule schedule = bcast_over(levels.place(levels.host_of(shape.root)), shape, 1);
  schedule.in_host_memory = true;
  return schedule;
}

}  // namespace quadrille
