// SPDX-License-Identifier: BSD-3-Clause
// Agreement on a context number by a bitwise AND over what each rank has free, as MPICH agrees on
// its context ids.
#include "mpi/contexts.h"

#include <sched.h>

#include <algorithm>
#include <bit>

namespace quadrille {

Contexts::Contexts() { free_.fill(~std::uint64_t{0}); }

std::optional<std::uint32_t> Contexts::agree(MPI_Comm communicator) {
  for (;;) {
    // Two threads of a process that create communicators at the same time must not offer the same
    // numbers: one offers nothing, fails together with its peers, and tries again. The last word
    // says that somebody did so, the one before which of the first 64 numbers are unused.
    std::array<std::uint64_t, words + 2> offer{};
    bool offering = false;
    {
      const std::lock_guard lock(mutex_);
      if (!offered_) {
        offered_ = offering = true;
        std::copy(free_.begin(), free_.end(), offer.begin());
        offer[words] = unused_;
        offer[words + 1] = ~std::uint64_t{0};
      }
    }
    std::array<std::uint64_t, words + 2> common{};
    PMPI_Allreduce(offer.data(), common.data(), static_cast<int>(offer.size()), MPI_UINT64_T,
                   MPI_BAND, communicator);
    const std::lock_guard lock(mutex_);
    if (offering) offered_ = false;
    if (common[words] != 0) common[0] = common[words];
    for (std::size_t word = 0; word < words; ++word) {
      if (common[word] == 0) continue;
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(common[word]));
      free_[word] &= ~(std::uint64_t{1} << bit);
      if (word == 0) unused_ &= free_[0];
      return static_cast<std::uint32_t>(word) * 64U + bit;
    }
    if (common[words + 1] != 0) return std::nullopt;
    sched_yield();
  }
}

void Contexts::release(std::uint32_t context) {
  const std::lock_guard lock(mutex_);
  free_[context / 64] |= std::uint64_t{1} << (context % 64);
}

}  // namespace quadrille
