// SPDX-License-Identifier: BSD-3-Clause
// Waiting for requests of the MPI library's as a collective waits: its progress goes on, the core
// is given away where others want it, and a long wait is told of.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>

namespace quadrille {

struct LongWait {
  std::int64_t after_s = 0;  // 0: never
  // Called once.
  std::function<void()> report = {};
};

// Until all are complete; returns an MPI error code.
int await_all(std::span<MPI_Request> requests, const LongWait& long_wait);

}  // namespace quadrille
