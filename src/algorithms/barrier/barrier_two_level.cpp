// SPDX-License-Identifier: BSD-3-Clause
// Barrier in which the ranks of a host meet in its memory, the leaders of hosts tell each other as
// in barrier_dissemination, and each lets its host's ranks go by one write to memory.
//
//   2 hosts of two ranks:   1 ~ 0, 3 ~ 2 (memory)    0<->2    0 ~ 1, 2 ~ 3 (memory)
//
// Steps:  ceil(log2 h) sends and receives of a leader for h hosts, two in memory.
// Bytes:  no payload.
// Needs:  memory that the ranks of a host share.
// Loses:  where hosts have one rank each.
// Source: Kielmann et al., MagPIe: MPI's Collective Communication Operations for Clustered Wide
//         Area Systems, 7th Symposium on Principles and Practice of Parallel Programming (1999),
//         doi:10.1145/301104.301116: one rank speaks for those around it. Memory within hosts:
//         Tipparaju, Nieplocha and Panda, Fast Collective Operations Using Shared and Remote Memory
//         Access Protocols on Clusters, 17th International Parallel and Distributed Processing
//         Symposium (2003)
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/barrier/dissemination.h"
#include "algorithms/trees/two_levels.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_barrier_two_level(const Shape&) { return true; }

Schedule generate_barrier_two_level(const GeneratorInput& input) {
  const TwoLevels levels(input);
  ScheduleBuilder builder;
  builder.use_host_memory();
  StepIndex met = ScheduleBuilder::no_step;
  if (!levels.group().empty()) met = builder.group_arrival(levels.group(), levels.own_leader());
  std::vector<StepIndex> news;
  if (levels.leads()) {
    news = disseminate(builder, levels.own_host(), levels.hosts(), met,
                       [&](Rank host) { return levels.leader(host); });
    // The other one of two has come itself.
    if (levels.group().size() > 2) news.push_back(met);
  }
  if (!levels.group().empty()) builder.group_ready(levels.group(), levels.own_leader(), news);
  return builder.build();
}

}  // namespace quadrille
