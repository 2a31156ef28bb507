// SPDX-License-Identifier: BSD-3-Clause
// Context numbers: each communicator's messages on the shadow communicator carry one, agreed among
// its ranks inside the user's own creating call. Thread rule: any thread.
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
  bool offered_ =
      false;  // a thread of this process has offered the free numbers and has not had its answer
};

}  // namespace quadrille
