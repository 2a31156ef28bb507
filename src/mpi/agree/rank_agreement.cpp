// SPDX-License-Identifier: BSD-3-Clause
// Dissemination (Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988,
// doi:10.1007/BF01379320): ceil(log2 p) rounds for any number of ranks. Some values arrive twice,
// which changes no maximum.
#include "mpi/agree/rank_agreement.h"

#include <algorithm>
#include <array>
#include <vector>

#include "mpi/communicator/awaiting.h"

namespace quadrille {
namespace {

// What comes for it later would be written to memory that is no longer its own. One that has
// matched already is waited for: mostly it is short, and there as a whole.
void withdraw_receive(MPI_Request& receive) {
  if (receive == MPI_REQUEST_NULL) return;
  if (PMPI_Cancel(&receive) == MPI_SUCCESS) PMPI_Wait(&receive, MPI_STATUS_IGNORE);
}

}  // namespace

int swap(const RankMessages& ranks, std::span<const std::byte> mine, std::size_t to,
         std::span<std::byte> theirs, std::size_t from) {
  std::array requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int code = PMPI_Irecv(theirs.data(), static_cast<int>(theirs.size()), MPI_BYTE,
                        ranks.shadow_ranks[from], ranks.tag, ranks.shadow, &requests[0]);
  if (code != MPI_SUCCESS) return code;
  code = PMPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, ranks.shadow_ranks[to],
                    ranks.tag, ranks.shadow, &requests[1]);
  if (code == MPI_SUCCESS)
    code =
        await_all(requests, {ranks.report_after_s, [&] { ranks.report(static_cast<int>(from)); }});
  if (code != MPI_SUCCESS) withdraw_receive(requests[0]);
  return code;
}

int take_maximum(const RankMessages& ranks, std::span<std::int64_t> values) {
  const std::size_t size = ranks.shadow_ranks.size();
  const auto rank = static_cast<std::size_t>(ranks.rank);
  std::vector<std::int64_t> received(values.size());
  for (std::size_t distance = 1; distance < size; distance *= 2) {
    const int code =
        swap(ranks, std::as_bytes(values), (rank + distance) % size,
             std::as_writable_bytes(std::span(received)), (rank + size - distance) % size);
    if (code != MPI_SUCCESS) return code;
    std::ranges::transform(
        values, received, values.begin(),
        [](std::int64_t one, std::int64_t other) { return std::max(one, other); });
  }
  return MPI_SUCCESS;
}

}  // namespace quadrille
