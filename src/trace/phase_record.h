// SPDX-License-Identifier: BSD-3-Clause
// What a rank writes of each phase of a call that Quadrille has executed: 48 bytes, integers of the
// machine's own order as in CallRecord. docs/tracing.md describes the file.
#pragma once

#include <cstdint>

namespace quadrille::trace {

struct PhaseRecord {
  std::uint64_t communicator = 0;  // this and the number are the call's
  std::uint32_t number = 0;
  std::uint8_t kind = 0;      // send, receive, copy, reduce, group_bcast, group_reduce
  std::uint8_t carrier = 0;   // own memory, MPI library, wire, host memory
  std::uint16_t steps = 1;    // of the schedule; the most there can be stands for more
  std::int64_t start_ns = 0;  // this rank's monotonic clock
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;
  std::int32_t peer = -1;  // rank of the communicator; of a group step its root; -1: none
  std::uint32_t unused = 0;
};
static_assert(sizeof(PhaseRecord) == 48);

}  // namespace quadrille::trace
