// SPDX-License-Identifier: BSD-3-Clause
// One intercepted collective call, the same for C, large-count and Fortran entries:
//
//   CollectiveCall call(bcast_arguments(buffer, count, type, root, comm));
//   if (call.replaced()) return call.execute();
//   return call.forwarded(NEXT(MPI_Bcast)(buffer, count, type, root, comm));
//
// A call that is a part of another one (of a Fortran binding that calls the C one) is left alone.
// Nothing is thrown out of these functions but what the program's own operation or error handler
// has thrown.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "mpi/call/call_arguments.h"
#include "mpi/call/call_scope.h"
#include "mpi/call/outcome.h"
#include "mpi/communicator/communicator.h"
#include "planner/agree/call_agreement.h"
#include "schedule/shape.h"

namespace quadrille {

class CollectiveCall {
 public:
  // `site`: where the program called, as the entry that makes this object sees it.
  explicit CollectiveCall(const CallArguments& arguments,
                          const void* site = __builtin_return_address(0));
  CollectiveCall(const CollectiveCall&) = delete;
  CollectiveCall& operator=(const CollectiveCall&) = delete;

  // Whether Quadrille executes this call, be it to report an error; if not, the caller forwards it.
  bool replaced() const { return candidate_ != nullptr || failure_ != MPI_SUCCESS; }

  // The call will fail with an MPI error code, without being carried out on this rank.
  void fail(int code) { failure_ = code; }

  // Executes the call; an error has gone through the communicator's error handler. Throws only what
  // the program has thrown. REQUIRES: replaced().
  int execute();

  // Takes note of a call that the MPI library has executed; passes its return code on.
  int forwarded(int code);

 private:
  void prepare();
  void give_up_preparing(int code);
  bool may_alternate() const;
  std::optional<AgreedCall> agree();
  std::optional<AgreedCall> agree_and_rehearse();
  void decide();
  void check_decision(const Candidate& chosen);
  void record();
  void trace(const std::string* algorithm, const Outcome& outcome);
  Outcome run();
  Outcome run_on(const CallArguments& call);
  void take_note(const Outcome& outcome);
  void sum_up(bool by_library) const;

  CallScope scope_;
  CallArguments arguments_;
  const void* const site_;
  Communicator* communicator_ = nullptr;
  int failure_ = MPI_SUCCESS;  // found before the call was begun
  Shape shape_;
  Decision* decision_ = nullptr;
  const Candidate* candidate_ = nullptr;  // null: the MPI library
  const char* left_ = "not handled";      // why it is left to the MPI library
  std::int64_t began_ns_ = 0;             // 0: not timed
  std::int64_t traced_from_ns_ = 0;       // 0: not traced
  std::int64_t summed_from_ns_ = 0;       // 0: there is no summary
};

}  // namespace quadrille
