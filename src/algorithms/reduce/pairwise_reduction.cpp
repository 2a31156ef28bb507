// SPDX-License-Identifier: BSD-3-Clause
// Blocks may be empty: they are not sent, and a rank whose own block is empty is not paced.
#include "algorithms/reduce/pairwise_reduction.h"

#include <array>
#include <vector>

#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

Schedule reduce_pairwise(const GeneratorInput& input, const VectorBlocks& blocks) {
  const Rank ranks = input.shape.ranks;
  ScheduleBuilder builder;
  const Region vector = contribution(input.shape, input.rank, input.counts);
  const Region own = blocks.of(vector, input.rank);
  const Region target{Buffer::receive, 0, own.length};
  const bool in_place = vector.buffer == Buffer::receive;
  if (ranks == 1) {
    if (own != target) builder.copy(own, target);
    return builder.build();
  }
  const Region sum = in_place ? builder.scratch(own.length) : target;
  const std::array<Region, 2> slots{builder.scratch(ranks > 2 ? own.length : 0),
                                    builder.scratch(ranks > 3 ? own.length : 0)};
  std::vector<StepIndex> received;
  std::size_t sent = 0;
  for (Rank round = 1; round < ranks; ++round) {
    const Rank to = ring_rank(input.rank, round, ranks);
    if (const Region part = blocks.of(vector, to); part.length > 0) {
      const bool waits = own.length > 0 && sent > 0;
      builder.send(to, part, {waits ? received[sent - 1] : ScheduleBuilder::no_step});
      ++sent;
    }
    if (own.length == 0) continue;
    const Region incoming = round == 1 ? sum : slots[static_cast<std::size_t>(round % 2)];
    received.push_back(builder.receive(ring_rank(input.rank, -round, ranks), incoming));
    builder.reduce(round == 1 ? own : incoming, sum);
  }
  if (own.length > 0 && sent > 0) builder.promise_most_ahead(1);
  if (in_place) builder.copy(sum, target);
  return builder.build();
}

}  // namespace quadrille
