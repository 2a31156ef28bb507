// SPDX-License-Identifier: BSD-3-Clause
// What QUADRILLE_MESSAGES has rank 0 write at the job's end: how many messages of which sizes the
// program has sent, to how many ranks, and how long its point-to-point calls took. Later jobs of
// the program choose by that whether its messages go over the provider.
#pragma once

#include <mpi.h>

#include <string>

#include "base/units.h"
#include "mpi/call/timed_calls.h"

namespace quadrille {

// Collective over `ranks`, which are all of the job's. `run`: what the job has taken so far.
// Rank 0 replaces file `path` by a JSON object. Of the mean rank: "run_s" and "point_to_point_s".
// Calls of all ranks: "one_sided", "synchronous_sends", "matched_receives". "sent": [{"bytes":
// 16384, "messages": 120}, ...] of all ranks, where sizes within a factor of two are one entry,
// with their mean; "groups" of messages, between which the ranks have waited. "partners": [[1, 7],
// ...], of each rank those that it has sent to, in its order. An empty path, or one that cannot be
// written: nothing.
void write_sent_messages(MPI_Comm ranks, const TimedCalls& calls, Nanoseconds run,
                         const std::string& path);

}  // namespace quadrille
