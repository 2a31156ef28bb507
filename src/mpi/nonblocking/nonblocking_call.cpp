// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/nonblocking/nonblocking_call.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "mpi/call/call_shape.h"
#include "mpi/call/last_execution.h"
#include "mpi/communicator/attachment.h"
#include "mpi/job/runtime.h"
#include "mpi/nonblocking/nonblocking_requests.h"
#include "mpi/nonblocking/pending_call.h"

namespace quadrille {

NonblockingCall::NonblockingCall(const CallArguments& arguments) : arguments_(arguments) {
  try {
    choose();
  } catch (const std::bad_alloc&) {
    failure_ = MPI_ERR_NO_MEM;
  } catch (const std::exception& problem) {
    failure_ = MPI_ERR_INTERN;
    std::fprintf(stderr, "quadrille: %s: %s\n", arguments_.name, problem.what());
  }
}

// Sends nothing: what it looks at is equal on all ranks.
void NonblockingCall::choose() {
  const Attachment* const attachment = Attachment::find(arguments_.comm);
  if (attachment == nullptr || Runtime::active()->nonblocking() == nullptr) return;
  communicator_ = attachment->agreed_communicator();
  if (communicator_ == nullptr) {
    left_ = "no blocking collective before";
    return;
  }
  if (is_reducing(arguments_.collective)) return;
  const auto shape = shape_of(arguments_, attachment->rank(), attachment->size());
  if (!shape) return;
  shape_ = *shape;
  if (const char* reason = attachment->reason_to_leave(shape_)) {
    left_ = reason;
    return;
  }
  const Candidate* const settled = communicator_->agreement().settled(shape_, true);
  left_ = settled == nullptr ? "not settled" : "settled for the MPI library";
  if (settled == nullptr || settled->algorithm == nullptr || !settled->algorithm->supports(shape_))
    return;
  left_ = "not by messages alone";
  if (needs_messages_alone(*settled)) candidate_ = settled;
}

int NonblockingCall::begin(MPI_Request* request, std::function<void()> after) try {
  if (failure_ != MPI_SUCCESS) return failure_;
  auto call = std::make_unique<PendingCall>(arguments_, shape_, std::move(after));
  last_execution.take_algorithm(candidate_->name, "settled", std::nullopt);
  const int code = call->prepare(communicator_->planner(), *candidate_, communicator_->rank());
  if (code != MPI_SUCCESS) return code;
  return Runtime::active()->nonblocking()->start(arguments_.comm, *communicator_, std::move(call),
                                                 request);
} catch (const std::bad_alloc&) {
  communicator_->complain(arguments_.name, "there is not enough memory for it");
  return MPI_ERR_NO_MEM;
}

int NonblockingCall::start(MPI_Request* request, std::function<void()> after) {
  const int code = begin(request, std::move(after));
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments_.comm, code);
  return code;
}

int NonblockingCall::forwarded(int code) const {
  last_execution.take_library(left_);
  return code;
}

}  // namespace quadrille
