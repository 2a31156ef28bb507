// SPDX-License-Identifier: BSD-3-Clause
// Dissemination (Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988,
// doi:10.1007/BF01379320): ceil(log2 p) rounds for any number of ranks. Some values arrive twice,
// which changes no maximum.
#include "mpi/rank_agreement.h"

#include <algorithm>
#include <vector>

namespace quadrille {

int take_maximum(const RankMessages& ranks, std::span<std::int64_t> values) {
  const std::size_t size = ranks.shadow_ranks.size();
  const auto rank = static_cast<std::size_t>(ranks.rank);
  const auto count = static_cast<int>(values.size());
  std::vector<std::int64_t> received(values.size());
  for (std::size_t distance = 1; distance < size; distance *= 2) {
    const int to = ranks.shadow_ranks[(rank + distance) % size];
    const int from = ranks.shadow_ranks[(rank + size - distance) % size];
    const int code =
        PMPI_Sendrecv(values.data(), count, MPI_INT64_T, to, ranks.tag, received.data(), count,
                      MPI_INT64_T, from, ranks.tag, ranks.shadow, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
    std::ranges::transform(
        values, received, values.begin(),
        [](std::int64_t one, std::int64_t other) { return std::max(one, other); });
  }
  return MPI_SUCCESS;
}

}  // namespace quadrille
