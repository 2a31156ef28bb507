// SPDX-License-Identifier: BSD-3-Clause
// Who executed the calling thread's latest collective, for benchmarks and tests.
#pragma once

#include <string>

namespace quadrille {

// Both texts live as long as the communicator's plans; they are read before it is freed.
struct LastExecution {
  bool any = false;
  const std::string* algorithm = nullptr;  // null: the MPI library
  const char* reason = "";
};

inline thread_local LastExecution last_execution;

}  // namespace quadrille
