// SPDX-License-Identifier: BSD-3-Clause
// Around a ring: a rank tells its right neighbour and hears its left one, so that the first call in
// which any two ranks differ is found by one of them.
#include "mpi/decision_check.h"

#include <cstdio>

#include "base/fingerprint.h"
#include "base/monotonic_clock.h"
#include "executor/waiting.h"

namespace quadrille {

std::string DecisionCheck::text_of(const History& history) {
  std::string text;
  const std::uint64_t first = history.calls > kept ? history.calls - kept : 0;
  for (std::uint64_t call = first; call < history.calls; ++call) {
    text += "  call " + std::to_string(call) + ": " + history.latest[call % kept].data() + "\n";
  }
  return text;
}

void DecisionCheck::compare(const std::string& decision, const RankMessages& messages,
                            std::int64_t report_after_s) {
  own_.hash = fingerprint(std::to_string(own_.hash) + decision);
  auto& entry = own_.latest[own_.calls % kept];
  entry.fill('\0');
  decision.copy(entry.data(), entry.size() - 1);
  ++own_.calls;

  const std::size_t size = messages.shadow_ranks.size();
  const auto rank = static_cast<std::size_t>(messages.rank);
  const std::size_t left = (rank + size - 1) % size;
  History theirs;
  std::array<MPI_Request, 2> requests{};
  PMPI_Irecv(&theirs, sizeof theirs, MPI_BYTE, messages.shadow_ranks[left], messages.tag,
             messages.shadow, &requests[0]);
  PMPI_Isend(&own_, sizeof own_, MPI_BYTE, messages.shadow_ranks[(rank + 1) % size], messages.tag,
             messages.shadow, &requests[1]);
  const Nanoseconds began = monotonic_now();
  bool reports = report_after_s > 0;
  Waiting waiting;
  for (int done = 0; done == 0;) {
    PMPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) break;
    if (reports && monotonic_now() - began > Nanoseconds{report_after_s * 1'000'000'000}) {
      reports = false;
      std::fprintf(stderr, "quadrille: rank %d waits for rank %zu to decide about a call:\n%s",
                   messages.rank, left, text_of(own_).c_str());
    }
    waiting.idle();
  }
  if (theirs.hash == own_.hash) return;
  std::fprintf(stderr,
               "quadrille: ranks %d and %zu have decided differently; ending the job\nrank %d:\n%s"
               "rank %zu:\n%s",
               messages.rank, left, messages.rank, text_of(own_).c_str(), left,
               text_of(theirs).c_str());
  PMPI_Abort(messages.shadow, 1);
}

}  // namespace quadrille
