// SPDX-License-Identifier: BSD-3-Clause
// A reduction that rounds may not be tried by the program's own calls, as its bits would change
// from one call to the next. So before the first one of its class candidates are tried with data of
// no meaning.
#pragma once

#include <cstdint>

#include "mpi/call/call_arguments.h"
#include "mpi/communicator/communicator.h"
#include "planner/candidate.h"
#include "schedule/shape.h"

namespace quadrille {

struct Rehearsed {
  int code = 0;  // an MPI error code
  std::int64_t took_ns = 0;
};

// One call like `call`, an allreduce or a reduce by an operation of MPI's own, on zeros, executed
// by `chosen`. Collective. May throw std::bad_alloc before anything is sent.
Rehearsed rehearse(Communicator& communicator, const CallArguments& call, Shape shape,
                   const Candidate& chosen);

}  // namespace quadrille
