// SPDX-License-Identifier: BSD-3-Clause
// One intercepted collective call, the same for C, large-count and Fortran entries:
//
//   CollectiveCall call(bcast_arguments(buffer, count, type, root, comm));
//   if (call.replaced()) return call.execute();
//   return call.forwarded(NEXT(MPI_Bcast)(buffer, count, type, root, comm));
//
// While one is alive on a thread, nested MPI calls (a Fortran binding that calls the C one) are
// left alone.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/call_arguments.h"
#include "mpi/communicator.h"
#include "schedule/shape.h"

namespace quadrille {

class CollectiveCall {
 public:
  explicit CollectiveCall(const CallArguments& arguments);
  CollectiveCall(const CollectiveCall&) = delete;
  CollectiveCall& operator=(const CollectiveCall&) = delete;
  ~CollectiveCall() { --depth; }

  // Whether Quadrille executes this call; if not, the caller forwards it.
  bool replaced() const { return candidate_ != nullptr; }

  // Executes the call; an error has gone through the communicator's error handler. REQUIRES:
  // replaced().
  int execute();

  // Takes note of a call that the MPI library has executed; passes its return code on.
  int forwarded(int code);

 private:
  bool may_alternate() const;
  Bytes size();
  void decide();
  void find_decision();
  const Candidate& chosen() const { return decision_->candidates[decision_->trial.candidate()]; }
  void judge_trial();
  void record();
  int run();

  static thread_local int depth;

  const CallArguments arguments_;
  Communicator* communicator_ = nullptr;
  Shape shape_;
  Bytes size_{0};
  Decision* decision_ = nullptr;
  const Candidate* candidate_ = nullptr;  // null: the MPI library
  const char* left_ = "not handled";      // why it is left to the MPI library
  std::int64_t began_ns_ = 0;             // 0: not timed
};

}  // namespace quadrille
