// SPDX-License-Identifier: BSD-3-Clause
// Lays a call's symbolic buffers over the user's memory and runs the schedule. Contiguous data are
// sent from and received into the user's own buffers; others are packed.
#pragma once

#include <exception>
#include <utility>

#include "mpi/call/call_arguments.h"
#include "mpi/communicator/communicator.h"
#include "schedule/prepared_schedule.h"
#include "schedule/shape.h"

namespace quadrille {

// Where data only move: an element is one byte of the packed data.
Outcome run_data_movement(Communicator& communicator, const PreparedSchedule& prepared,
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
