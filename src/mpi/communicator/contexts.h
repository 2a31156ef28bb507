// SPDX-License-Identifier: BSD-3-Clause
// Context numbers: each communicator's messages on the shadow communicator carry one, agreed among
// its ranks in the first collective that may need it. What the ranks were told about the
// communicator is compared in the same exchange. Thread rule: any thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "base/context_numbers.h"
#include "mpi/communicator/awaiting.h"
#include "planner/agree/known_reductions.h"

namespace quadrille {

class Contexts {
 public:
  static constexpr int bits = ContextNumbers::bits;

  // One rank's view of a communicator.
  struct Terms {
    int rank = 0;
    int world_rank = 0;
    bool is_usable = false;         // this rank can work on it
    std::uint64_t fingerprint = 0;  // of what has to be equal on all ranks
    bool has_host_memory = false;   // this rank shares memory with the others of its host
    KnownReductions reductions{};   // as this rank knows
  };
  enum class Verdict : std::uint8_t { agreed, unusable, different, none_left, failed };
  struct Agreement {
    Verdict verdict = Verdict::failed;
    std::uint32_t number = 0;  // where agreed; free on all ranks
    // All ranks share memory with those of their hosts, in cells that nobody has used.
    bool has_host_memory = false;
    KnownReductions reductions{};  // as all ranks know
    int mpi_error = MPI_SUCCESS;
  };

  // Collective over `communicator`. All ranks get the same verdict, but for a failure of the MPI
  // library's, which each rank sees for itself.
  Agreement agree(MPI_Comm communicator, const Terms& terms, const LongWait& long_wait);
  void release(std::uint32_t context) { numbers_.release(context); }

 private:
  ContextNumbers numbers_;
};

}  // namespace quadrille
