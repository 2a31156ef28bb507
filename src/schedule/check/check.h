// SPDX-License-Identifier: BSD-3-Clause
// The checker: executes the schedules of all ranks of one call symbolically, under the strictest
// behaviour that MPI allows where progress is concerned (every send waits for its receive) and the
// loosest where promises are concerned (no send waits). Steps that do not depend on each other
// commute, so that one order of execution stands for all once there are no races.
//
// Finds: steps that no step may be; regions beyond their buffers; writes into the user's send
// buffer; races; messages without other end or of other length there; deadlock; reads of elements
// never written; wrong final contents; reductions that combine an element twice, not at all, in the
// wrong order or in different orders on different ranks; a barrier that does not hold; promises of
// pacing not kept.
//
// Cost: O(n log n) in the number n of all steps, independent of the number of bytes; checking
// promises adds O(n m / 64) for m messages to one rank.
#pragma once

#include <span>

#include "schedule/blocks.h"
#include "schedule/check/finding.h"
#include "schedule/schedule.h"
#include "schedule/shape.h"

namespace quadrille {

// All findings of the first stage that has any (steps by themselves, messages, execution, result);
// none: correct.
// REQUIRES: schedules[r] is rank r's schedule for `shape`, counts[r] what it knows of a vector
// collective.
Findings check(const Shape& shape, std::span<const Schedule> schedules,
               std::span<const LocalCounts> counts = {});

}  // namespace quadrille
