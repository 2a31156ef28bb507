// SPDX-License-Identifier: BSD-3-Clause
// Who executed the calling thread's latest collective, for benchmarks and tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "wire/flow/flow_statistics.h"

namespace quadrille {

// Holds nothing of the communicator's: a program may ask after it has freed that. Names longer than
// the array are cut.
struct LastExecution {
  std::uint64_t count = 0;  // of the thread's collectives
  bool by_library = true;
  std::array<char, 256> algorithm{};          // where it was not the MPI library
  const char* reason = "";                    // lasts
  std::optional<wire::FlowStatistics> flows;  // this rank's, where it went by the wire
  std::uint64_t nonblocking_bytes = 0;        // the latest nonblocking one's size, as plans take it

  void take_library(const char* why) {
    ++count;
    by_library = true;
    reason = why;
    flows.reset();
  }
  void take_algorithm(std::string_view name, const char* why,
                      const std::optional<wire::FlowStatistics>& cost) {
    ++count;
    by_library = false;
    const auto end = std::ranges::copy(name.substr(0, algorithm.size() - 1), algorithm.begin()).out;
    *end = '\0';
    reason = why;
    flows = cost;
  }
};

inline thread_local LastExecution last_execution;

}  // namespace quadrille
