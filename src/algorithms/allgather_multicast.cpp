// SPDX-License-Identifier: BSD-3-Clause
// Allgather by multicast: one rank of each host collects its host's blocks and sends them once to
// all other hosts, where one rank passes them on. The receivers grant what each may send, to the
// first hosts first, so that ports are not flooded.
//
//   3 hosts of two ranks:   1 -> 0, 3 -> 2, 5 -> 4     0 => 2, 4    2 => 0, 4    4 => 0, 2
//                           0 -> 1, 2 -> 3, 4 -> 5 all blocks
//
// host     over a host's ranks: binomial, chain or star
//
// Steps:  one sending for each host and run of its ranks, and the depth inside a host.
// Bytes:  every link, bus and trunk carries each block once.
// Needs:  multicast that was seen to reach all hosts; else as bcast_multicast. No scratch.
// Loses:  on switches where blocks are large: allgather_ring moves them as fast.
// Source: as of bcast_multicast; J. W. Atwood, A classification of reliable multicast protocols,
// IEEE
//         Network 18 (2004), doi:10.1109/MNET.2004.1301019
#include <ranges>

#include "algorithms/algorithm.h"
#include "algorithms/block_runs.h"
#include "algorithms/multicast_group.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allgather_multicast(const Shape&) { return true; }

Schedule generate_allgather_multicast(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const auto ranks_by_host = input.view.ranks_by_host();
  const MulticastGroup group(input, ranks_by_host.front().front());
  const auto& near = ranks_by_host[input.view.host_of_rank[static_cast<std::size_t>(input.rank)]];
  const Region own = contribution(shape, input.rank);
  copy_own_block(builder, input);
  if (group.own_member() != input.rank) {
    builder.send(group.own_member(), own);
  } else {
    for (const Rank rank : near | std::views::drop(1))
      builder.receive(rank, block_of(Buffer::receive, rank, shape.count));
  }
  const Region all{Buffer::receive, 0, shape.count * static_cast<std::uint64_t>(shape.ranks)};
  for (const auto& ranks : ranks_by_host) {
    for (const BlockRun& run : runs_of(ranks, shape.count))
      group.bcast(builder, run.of_vector(all), ranks.front());
  }
  return builder.build();
}

}  // namespace quadrille
