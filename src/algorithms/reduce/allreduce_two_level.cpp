// SPDX-License-Identifier: BSD-3-Clause
// Allreduce of a small vector: each host sums in its memory, the leaders of hosts exchange their
// sums as allreduce_recursive_doubling does, and each host's ranks read the result from memory.
//
//   4 hosts of two ranks:   1 ~ 0, 3 ~ 2, 5 ~ 4, 7 ~ 6 (memory)    0<->2 4<->6    0<->4 2<->6
//                           0 ~ 1, 2 ~ 3, 4 ~ 5, 6 ~ 7 (memory)
//
// Steps:  ceil(log2 h) exchanges deep for h hosts, a power of two of them, else 2 + floor(log2 h).
// Bytes:  a host sends and receives m log2 h, whatever the number of its ranks.
// Needs:  memory that the ranks of a host share; an operation of MPI's own; scratch for 2 m.
// Loses:  where hosts have one rank each.
// Source: Kielmann et al., MagPIe: MPI's Collective Communication Operations for Clustered Wide
//         Area Systems, 7th Symposium on Principles and Practice of Parallel Programming (1999),
//         doi:10.1145/301104.301116: one rank speaks for those around it. Memory within hosts:
//         Tipparaju, Nieplocha and Panda, Fast Collective Operations Using Shared and Remote Memory
//         Access Protocols on Clusters, 17th International Parallel and Distributed Processing
//         Symposium (2003)
#include "algorithms/algorithm.h"
#include "algorithms/reduce/recursive_doubling.h"
#include "algorithms/trees/along_tree.h"
#include "algorithms/trees/two_levels.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allreduce_two_level(const Shape& shape) { return fits_host_memory(shape); }

Schedule generate_allreduce_two_level(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  builder.use_host_memory();
  const TwoLevels levels(input);
  const Region result{Buffer::receive, 0, shape.count};
  const PlaceInTree on_host = levels.place_on_host();
  CombineUp sums(builder, on_host, {contribution(shape, input.rank), {}}, 1);
  const Region sum = sums.combine(0);
  if (levels.leads()) {
    const SumExchange leaders{levels.hosts(), levels.own_host(),
                              [&](Rank host) { return levels.leader(host); }};
    exchange_sums(builder, leaders, sum, result);
  }
  pass_down(builder, on_host, result);
  return builder.build();
}

}  // namespace quadrille
