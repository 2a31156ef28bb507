// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a communicator agree on numbers before they decide: each takes the maximum over
// all, by messages of the library's own.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace quadrille {

// Messages between the ranks of a communicator, whose ranks on `shadow` are `shadow_ranks`.
struct RankMessages {
  MPI_Comm shadow = MPI_COMM_NULL;
  int tag = 0;  // of no other message of this call's
  std::span<const int> shadow_ranks;
  int rank = 0;  // own
  std::int64_t report_after_s = 0;
  std::function<void(int rank)> report = {};  // that one is waited for
};

// Sends `mine` to `to` and has `theirs` from `from`, ranks of the communicator; returns an MPI
// error code. A long wait for `from` is told of.
int swap(const RankMessages& ranks, std::span<const std::byte> mine, std::size_t to,
         std::span<std::byte> theirs, std::size_t from);

// Replaces each of `values` by its maximum over all ranks, of which each brings as many. Returns an
// MPI error code; `values` are undefined then. Collective.
int take_maximum(const RankMessages& ranks, std::span<std::int64_t> values);

}  // namespace quadrille
