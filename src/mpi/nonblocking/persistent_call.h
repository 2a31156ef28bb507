// SPDX-License-Identifier: BSD-3-Clause
// The initialization of one intercepted persistent collective, the same for C and Fortran entries:
//
//   PersistentCall call(arguments, start_by_library);
//   if (call.replaced()) return call.make(request);
//   return call.forwarded(NEXT(MPI_Bcast_init)(buffer, count, type, root, comm, info, request));
//
// By the standard (MPI 4.1, 6.13) all ranks initialize such calls in the same order, and may wait
// for each other meanwhile, but start them in any order. So who executes a call is settled here:
// where nothing is known of such calls yet, they are tried with memory of ours. And each has a
// channel of its own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/call/call_arguments.h"
#include "mpi/call/call_scope.h"
#include "mpi/nonblocking/nonblocking_call.h"
#include "mpi/nonblocking/pending_call.h"

namespace quadrille {

class PersistentCall {
 public:
  // Starts the nonblocking call of these arguments by the MPI library.
  using StartByLibrary = int (*)(const CallArguments& call, MPI_Request* request);

  // Collective. Throws nothing.
  PersistentCall(const CallArguments& arguments, StartByLibrary start_by_library);

  bool replaced() const { return call_ != nullptr || failure_ != MPI_SUCCESS; }
  // The call will fail with an MPI error code.
  void fail(int code) { failure_ = code; }

  // Makes the request of a call that has yet to be started. An error has gone through the
  // communicator's error handler. REQUIRES: replaced().
  int make(MPI_Request* request, PendingCall::Hooks hooks = {});
  // Takes note of a call that is the MPI library's; passes its return code on.
  int forwarded(int code);

 private:
  void settle();
  bool get_rehearsal_buffers(const NonblockingCall& call);
  void rehearse(NonblockingCall& call);
  void take(const NonblockingCall& call);

  std::optional<CallScope> scope_;  // a Fortran binding may call the C one
  CallArguments arguments_;
  StartByLibrary start_by_library_;
  int failure_ = MPI_SUCCESS;
  Communicator* communicator_ = nullptr;
  std::unique_ptr<PendingCall> call_;  // null: the MPI library's
  std::uint32_t context_ = 0;          // of its channel
  const char* left_ = "not handled";   // why it is left to the MPI library
  // While calls are tried.
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  void* send_address_ = nullptr;
  void* receive_address_ = nullptr;
};

}  // namespace quadrille
