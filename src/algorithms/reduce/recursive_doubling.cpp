// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/reduce/recursive_doubling.h"

#include <utility>

#include "algorithms/reduce/folded_ranks.h"

namespace quadrille {

void exchange_sums(ScheduleBuilder& builder, const SumExchange& exchange, const Region& own,
                   const Region& target) {
  const FoldedRanks folded(exchange.size);
  if (folded.is_folded_away(exchange.own)) {
    const Rank neighbour = exchange.rank_of(exchange.own + 1);
    builder.send(neighbour, own);
    builder.receive(neighbour, target);
    return;
  }
  Region sum = target;
  if (own != target) builder.copy(own, target);
  if (exchange.size == 1) return;
  Region incoming = builder.scratch(target.length);
  const auto neighbour = [&] { return exchange.rank_of(exchange.own - 1); };
  if (folded.is_paired(exchange.own)) {
    builder.receive(neighbour(), incoming);
    builder.reduce(incoming, sum);
  }
  const Rank self = folded.participant_of(exchange.own);
  for (Rank bit = 1; bit < folded.participants(); bit *= 2) {
    const Rank partner = exchange.rank_of(folded.rank_of_participant(self ^ bit));
    builder.send(partner, sum);
    builder.receive(partner, incoming);
    if ((self & bit) != 0) {
      builder.reduce(incoming, sum);
    } else {
      builder.reduce(sum, incoming);
      std::swap(sum, incoming);
    }
  }
  if (sum != target) builder.copy(sum, target);
  if (folded.is_paired(exchange.own)) builder.send(neighbour(), sum);
}

}  // namespace quadrille
