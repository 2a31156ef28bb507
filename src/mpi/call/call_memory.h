// SPDX-License-Identifier: BSD-3-Clause
// Lays a call's symbolic buffers over the user's memory and runs the schedule. Contiguous data are
// sent from and received into the user's own buffers; others are packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "executor/executor.h"
#include "mpi/call/call_arguments.h"
#include "mpi/call/call_buffers.h"
#include "mpi/communicator/communicator.h"
#include "planner/planner.h"
#include "schedule/prepared_schedule.h"
#include "schedule/shape.h"

namespace quadrille {

// The memory of a call, whose functions are called in this order. The first and the last ask the
// MPI library; the memory's own do not. Codes are MPI's.
class CallData {
 public:
  CallData() = default;
  CallData(const CallData&) = delete;
  CallData& operator=(const CallData&) = delete;
  virtual ~CallData() = default;

  // Packs what is sent, where it is not contiguous.
  virtual int fill() = 0;
  // Valid until the planner's next.
  virtual const SharedSchedule& schedule(Planner& planner, const Candidate& candidate) = 0;
  virtual CallMemory memory(std::uint64_t scratch_length) = 0;
  // Unpacks what has come.
  virtual int give_back() = 0;
};

CallMemory memory_of_bytes(const std::byte* send, std::byte* receive, std::byte* scratch);

// Where data only move, of calls without counts: an element is one byte of the packed data. What it
// is made of outlives it.
std::unique_ptr<CallData> equal_blocks(const CallArguments& call, const Shape& shape, Rank rank,
                                       CallBuffers& buffers);

// REQUIRES: no counts in the shape.
Outcome run_data_movement(Communicator& communicator, const Candidate& candidate,
                          const Shape& shape, const CallArguments& call);

// The program's own operation has thrown. The call went on to its end, as others wait for this
// rank; its result is undefined.
struct LeftByException : std::exception {
  explicit LeftByException(std::exception_ptr thrown) : cause(std::move(thrown)) {}
  std::exception_ptr cause;
};

// Where they are combined: an element is one of the user's datatype, in the user's own layout.
// Throws LeftByException.
Outcome run_reduction(Communicator& communicator, const PreparedSchedule& prepared,
                      const Shape& shape, const CallArguments& call);

}  // namespace quadrille
