// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a communicator agree on numbers before they decide: each takes the maximum over
// all, by messages of the library's own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

namespace quadrille {

// Messages between the ranks of a communicator, whose ranks on `shadow` are `shadow_ranks`.
struct RankMessages {
  MPI_Comm shadow = MPI_COMM_NULL;
  int tag = 0;  // of no other message of this call's
  std::span<const int> shadow_ranks;
  int rank = 0;  // own
};

// Replaces each of `values` by its maximum over all ranks, of which each brings as many. Returns an
// MPI error code; `values` are undefined then. Collective.
int take_maximum(const RankMessages& ranks, std::span<std::int64_t> values);

}  // namespace quadrille
