// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/allgather/blocks_by_multicast.h"

#include <ranges>
#include <span>
#include <vector>

#include "algorithms/own_block.h"
#include "algorithms/trees/multicast_group.h"
#include "schedule/builder.h"

namespace quadrille {

namespace {

// The blocks of one host's ranks, as few regions as there may be.
std::vector<Region> regions_of(std::span<const Rank> ranks, const BlockPlaces& places) {
  std::vector<Region> regions;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    const Region block = places.of(ranks[at]);
    if (places.neighbours_join && at > 0 && ranks[at] == ranks[at - 1] + 1) {
      regions.back().length += block.length;
    } else {
      regions.push_back(block);
    }
  }
  return regions;
}

}  // namespace

Schedule blocks_by_multicast(const GeneratorInput& input, const BlockPlaces& places) {
  ScheduleBuilder builder;
  const auto ranks_by_host = input.view.ranks_by_host();
  const MulticastGroup group(input, ranks_by_host.front().front());
  const auto& near = ranks_by_host[input.view.host_of_rank[static_cast<std::size_t>(input.rank)]];
  const Region own = contribution(input.shape, input.rank, input.counts);
  copy_own_block(builder, input);
  if (group.own_member() != input.rank) {
    if (own.length > 0) builder.send(group.own_member(), own);
  } else {
    for (const Rank rank : near | std::views::drop(1)) {
      if (const Region block = places.of(rank); block.length > 0) builder.receive(rank, block);
    }
  }
  for (const auto& ranks : ranks_by_host) {
    for (const Region& region : regions_of(ranks, places))
      group.bcast(builder, region, ranks.front());
  }
  return builder.build();
}

}  // namespace quadrille
