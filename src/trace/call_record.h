// SPDX-License-Identifier: BSD-3-Clause
// What a rank writes of each collective call: 64 bytes, integers of the machine's own order, which
// is little-endian on all that Quadrille runs on. docs/tracing.md describes the files.
#pragma once

#include <cstdint>

namespace quadrille::trace {

enum CallFlags : std::uint16_t {
  kReplaced = 1,  // executed by Quadrille, else by the MPI library
  kByWire = 2,    // its messages between hosts went by the wire
  kInTrial = 4,   // candidates took turns
};

struct CallRecord {
  std::uint64_t communicator = 0;  // the same on all its ranks, of no other in the job
  std::uint32_t number = 0;        // of the call on its communicator, the same on all its ranks
  std::uint16_t name = 0;          // of the MPI function; as the following two, see TraceFiles
  std::uint16_t flags = 0;
  std::int64_t start_ns = 0;  // this rank's monotonic clock
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;  // what the call's size is taken for: as message_size()
  std::int32_t root = -1;   // rank of the communicator; -1: none
  std::uint16_t algorithm = 0;
  std::uint16_t site = 0;            // where the program called
  std::uint64_t credit_wait_ns = 0;  // of the wire, this rank's
  std::uint32_t resent = 0;          // packets
  std::uint32_t stalls = 0;
};
static_assert(sizeof(CallRecord) == 64);

}  // namespace quadrille::trace
