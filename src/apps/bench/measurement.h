// SPDX-License-Identifier: BSD-3-Clause
// What was measured at one point: plain data between the sampler and the results file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/bench/execution.h"
#include "wire/flow/flow_statistics.h"

namespace quadrille::bench {

// One timed call, over all ranks.
struct Sample {
  static constexpr std::int64_t kUnknown = -1;

  std::int64_t duration_ns = 0;        // from the agreed instant to the last rank's end
  std::int64_t local_duration_ns = 0;  // the longest any rank spent inside the call
  std::int64_t root_to_last_ns =
      kUnknown;                  // rooted operations: the root's start to the last receipt
  std::int64_t lateness_ns = 0;  // of the rank that started last, after the instant
  bool late = false;             // some rank missed the instant, and the repetition did too
  Execution execution{};
  wire::FlowStatistics flows{};  // sum over the ranks; all 0 where it did not go by the wire
};

// The calls of both sides in one order (blocks A B B A, or in turn).
struct Measurement {
  std::vector<Sample> native;   // PMPI_X
  std::vector<Sample> library;  // MPI_X
  std::size_t repeated = 0;     // samples thrown away because a rank missed the instant
};

struct PointMeasurement {
  Measurement blocks;
  std::optional<Measurement> alternating = std::nullopt;  // left out where only blocks were wanted
  int calls_per_block = 0;
  std::int64_t warm_up_native = 0;
  std::int64_t warm_up_library = 0;
  std::int64_t verified = 0;  // calls checked on every rank, warm-up included
  std::int64_t wrong = 0;     // ranks' results that did not verify, summed over the calls
};

}  // namespace quadrille::bench
