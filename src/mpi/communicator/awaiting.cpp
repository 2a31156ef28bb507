// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/awaiting.h"

#include "base/monotonic_clock.h"
#include "executor/waiting.h"

namespace quadrille {

int await_all(std::span<MPI_Request> requests, const LongWait& long_wait) {
  const Nanoseconds began = monotonic_now();
  bool reports = long_wait.after_s > 0;
  Waiting waiting;
  for (;;) {
    int done = 0;
    const int code = PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                                  MPI_STATUSES_IGNORE);
    if (code != MPI_SUCCESS || done != 0) return code;
    if (reports && monotonic_now() - began > Nanoseconds{long_wait.after_s * 1'000'000'000}) {
      reports = false;
      long_wait.report();
    }
    waiting.idle();
  }
}

}  // namespace quadrille
