// SPDX-License-Identifier: BSD-3-Clause
// The rounds of a dissemination: barrier_dissemination among all ranks, barrier_two_level among the
// leaders of hosts.
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/rank_arithmetic.h"
#include "base/units.h"
#include "schedule/builder.h"

namespace quadrille {

// Appends the messages of number `own` of `size`, sent after `come`, and returns the receipts:
// after all of them everybody has come. `rank_of(number)` is a rank.
template <typename RankOf>
std::vector<StepIndex> disseminate(ScheduleBuilder& builder, Rank own, Rank size, StepIndex come,
                                   const RankOf& rank_of) {
  std::vector<StepIndex> receipts;
  for (Rank distance = 1; distance < size; distance *= 2) {
    // News of a rank travels its distance in steps of ascending powers of two, those of its binary
    // digits. A message over 2^k carries on the news that came over 2^i if 2^i + 2^k is no more
    // than the longest way.
    std::vector<StepIndex> news{come};
    for (std::size_t i = 0; i < receipts.size(); ++i) {
      if ((Rank{1} << i) + distance < size) news.push_back(receipts[i]);
    }
    builder.send_ready(rank_of(ring_rank(own, distance, size)), news);
    receipts.push_back(builder.receive_ready(rank_of(ring_rank(own, -distance, size))));
  }
  return receipts;
}

}  // namespace quadrille
