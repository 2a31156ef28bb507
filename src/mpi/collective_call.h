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
#include <string>

#include "mpi/call_arguments.h"
#include "mpi/communicator.h"
#include "schedule/shape.h"
#include "wire/flow_statistics.h"

namespace quadrille {

class CollectiveCall {
 public:
  // `site`: where the program called, as the entry that makes this object sees it.
  explicit CollectiveCall(const CallArguments& arguments,
                          const void* site = __builtin_return_address(0));
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
  void trace(const std::string* algorithm, const wire::FlowStatistics* flows);
  int run();

  static thread_local int depth;

  const CallArguments arguments_;
  const void* const site_;
  Communicator* communicator_ = nullptr;
  Shape shape_;
  Bytes size_{0};
  Decision* decision_ = nullptr;
  const Candidate* candidate_ = nullptr;  // null: the MPI library
  const char* left_ = "not handled";      // why it is left to the MPI library
  std::int64_t began_ns_ = 0;             // 0: not timed
  std::int64_t traced_from_ns_ = 0;       // 0: not traced
};

}  // namespace quadrille
