// SPDX-License-Identifier: BSD-3-Clause
// Around a ring: a rank tells its right neighbour and hears its left one, so that the first call in
// which any two ranks differ is found by one of them.
#include "mpi/agree/decision_check.h"

#include <cstdio>

#include "base/fingerprint.h"

namespace quadrille {

std::string DecisionCheck::text_of(const History& history) {
  std::string text;
  const std::uint64_t first = history.calls > kept ? history.calls - kept : 0;
  for (std::uint64_t call = first; call < history.calls; ++call) {
    text += "  call " + std::to_string(call) + ": " + history.latest[call % kept].data() + "\n";
  }
  return text;
}

void DecisionCheck::compare(const std::string& decision, const RankMessages& messages) {
  own_.hash = fingerprint(std::to_string(own_.hash) + decision);
  auto& entry = own_.latest[own_.calls % kept];
  entry.fill('\0');
  decision.copy(entry.data(), entry.size() - 1);
  ++own_.calls;

  const std::size_t size = messages.shadow_ranks.size();
  const auto rank = static_cast<std::size_t>(messages.rank);
  const std::size_t left = (rank + size - 1) % size;
  History theirs;
  if (swap(messages, std::as_bytes(std::span(&own_, 1)), (rank + 1) % size,
           std::as_writable_bytes(std::span(&theirs, 1)), left) != MPI_SUCCESS)
    return;
  if (theirs.hash == own_.hash) return;
  std::fprintf(stderr,
               "quadrille: ranks %d and %zu have decided differently; ending the job\nrank %d:\n%s"
               "rank %zu:\n%s",
               messages.rank, left, messages.rank, text_of(own_).c_str(), left,
               text_of(theirs).c_str());
  PMPI_Abort(messages.shadow, 1);
}

}  // namespace quadrille
