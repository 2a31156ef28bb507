// SPDX-License-Identifier: BSD-3-Clause
// Sums exchanged with a partner twice as far away in every round: allreduce_recursive_doubling
// among all ranks, allreduce_two_level among the leaders of hosts.
#pragma once

#include <functional>

#include "base/units.h"
#include "schedule/builder.h"
#include "schedule/schedule.h"

namespace quadrille {

// Those who exchange, in the order of their numbers, and which of them this rank is.
struct SumExchange {
  Rank size = 1;
  Rank own = 0;
  std::function<Rank(Rank number)> rank_of;
};

// Appends the steps by which each of them has the sum of all `own` in `target`, combined in the
// order of numbers. `own` is read only, unless it is `target`.
void exchange_sums(ScheduleBuilder& builder, const SumExchange& exchange, const Region& own,
                   const Region& target);

}  // namespace quadrille
