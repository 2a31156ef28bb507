// SPDX-License-Identifier: BSD-3-Clause
// Reduction of a small vector: each host sums in its memory, and the leaders of hosts combine their
// sums up a binomial tree. The root leads its own host.
//
//   3 hosts of two ranks, root 1:   0 ~ 1, 3 ~ 2, 5 ~ 4 (memory)    2 -> 1, 4 -> 1
//
// Steps:  one in memory, ceil(log2 h) messages deep for h hosts.
// Bytes:  h - 1 times m between hosts.
// Needs:  memory that the ranks of a host share; an operation of MPI's own; scratch for 2 m.
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

bool supports_reduce_two_level(const Shape& shape) { return fits_host_memory(shape); }

Schedule generate_reduce_two_level(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const TwoLevels levels(input, shape.root);
  Schedule schedule =
      reduce_over(levels.place(levels.host_of(shape.root)), shape, input.rank, shape.root, 1);
  schedule.in_host_memory = true;
  return schedule;
}

}  // namespace quadrille
