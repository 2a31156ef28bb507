// SPDX-License-Identifier: BSD-3-Clause
// Who executed the calling thread's latest collective, for benchmarks and tests.
#pragma once

#include <optional>
#include <string>

#include "wire/flow_statistics.h"

namespace quadrille {

// Both texts live as long as the communicator's plans; they are read before it is freed.
struct LastExecution {
  bool any = false;
  const std::string* algorithm = nullptr;  // null: the MPI library
  const char* reason = "";
  std::optional<wire::FlowStatistics> flows;  // this rank's, where it went by the wire
};

inline thread_local LastExecution last_execution;

}  // namespace quadrille
