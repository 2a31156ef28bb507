// SPDX-License-Identifier: BSD-3-Clause
// Context numbers: each communicator's messages on the shadow communicator carry one, agreed among
// its ranks inside the user's own creating call. Numbers that no rank has used are taken first:
// what a freed communicator left on them, such as flows on which other ranks have sent unequally,
// is no hindrance there. Only the first 64 are kept for this, as each number that was in use costs
// memory for each peer. Thread rule: any thread.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

namespace quadrille {

class Contexts {
 public:
  static constexpr int bits = 11;

  Contexts();

  // Agrees with the other ranks of `communicator` on a number free on all of them. Collective over
  // it. Empty when there is none left: the same answer on every rank.
  std::optional<std::uint32_t> agree(MPI_Comm communicator);
  void release(std::uint32_t context);

 private:
  static constexpr std::size_t words = (std::size_t{1} << bits) / 64;
  using Mask = std::array<std::uint64_t, words>;

  std::mutex mutex_;
  Mask free_{};
  std::uint64_t unused_ = ~std::uint64_t{0};  // of the first 64: never used in this process
  bool offered_ =
      false;  // a thread of this process has offered the free numbers and has not had its answer
};

}  // namespace quadrille
