// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/allgather/block_runs.h"

namespace quadrille {

std::vector<BlockRun> runs_of(std::span<const Rank> ranks, std::uint64_t count) {
  std::vector<BlockRun> runs;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    if (at > 0 && ranks[at] == ranks[at - 1] + 1) {
      runs.back().length += count;
    } else {
      runs.push_back({at * count, static_cast<std::uint64_t>(ranks[at]) * count, count});
    }
  }
  return runs;
}

Region packed_blocks(ScheduleBuilder& builder, const Region& vector, std::span<const Rank> ranks,
                     std::uint64_t count) {
  const std::vector<BlockRun> runs = runs_of(ranks, count);
  if (runs.size() == 1) return runs.front().of_vector(vector);
  const Region message = builder.scratch(ranks.size() * count);
  for (const BlockRun& run : runs) builder.copy(run.of_vector(vector), run.of_message(message));
  return message;
}

}  // namespace quadrille
