// SPDX-License-Identifier: BSD-3-Clause
// The start of one intercepted nonblocking collective, the same for C and Fortran entries:
//
//   NonblockingCall call(arguments);
//   if (call.replaced()) return call.start(request);
//   const int code = NEXT(MPI_Ibcast)(buffer, count, type, root, comm, request);
//   return call.forwarded(code, *request);
//
// A start may wait for no other rank. So such a call is executed only where its ranks have agreed
// on their communicator already, in a blocking collective, and by what all of them know: a forced
// candidate, what earlier jobs have found, or a trial of nonblocking calls, whose stages are judged
// in blocking ones.
#pragma once

#include <mpi.h>

#include <functional>

#include "mpi/call/call_arguments.h"
#include "mpi/call/call_scope.h"
#include "mpi/communicator/communicator.h"
#include "planner/agree/call_agreement.h"
#include "planner/planner.h"
#include "schedule/shape.h"

namespace quadrille {

class NonblockingCall {
 public:
  // What `rehearses` a persistent call is no call of the program's. Throws nothing.
  explicit NonblockingCall(const CallArguments& arguments, bool rehearses = false);

  bool replaced() const { return candidate_ != nullptr || failure_ != MPI_SUCCESS; }
  // The call will fail with an MPI error code, with nothing started on this rank.
  void fail(int code) { failure_ = code; }

  // What a persistent call asks of one that is made to try it. REQUIRES: began without a failure.
  bool is_tried() const {
    return agreed_.decision != nullptr && (!agreed_.decision->trial.settled() || agreed_.asks);
  }
  // The next blocking call on the communicator has something to exchange.
  bool asks() const { return agreed_.asks; }
  const CallArguments& arguments() const { return arguments_; }
  const Shape& shape() const { return shape_; }
  const Candidate* candidate() const { return candidate_; }  // null: the MPI library
  const char* reason() const { return left_; }
  void use_buffers(void* send, void* receive);
  // It is not made.
  void give_up();

  // Starts the call; `after` is called when its data have come, before the request is complete. An
  // error has gone through the communicator's error handler. REQUIRES: replaced().
  int start(MPI_Request* request, std::function<void()> after = {});
  // Takes note of a call that the MPI library has started; passes its return code on.
  int forwarded(int code, MPI_Request request);

 private:
  void choose();
  void count(bool by_library) const;
  void tell_plan(const Shape& shape) const;
  int begin(MPI_Request* request, std::function<void()> after);

  CallScope scope_;  // a Fortran binding may call the C one
  CallArguments arguments_;
  bool rehearses_;
  int failure_ = MPI_SUCCESS;  // found before anything was started
  Communicator* communicator_ = nullptr;
  Shape shape_;
  CallAgreement::Nonblocking agreed_;
  Nanoseconds began_{};
  const Candidate* candidate_ = nullptr;  // null: the MPI library
  const char* left_ = "not handled";      // why it is left to the MPI library
};

}  // namespace quadrille
