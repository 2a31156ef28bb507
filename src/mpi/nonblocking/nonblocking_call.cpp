// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/nonblocking/nonblocking_call.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/monotonic_clock.h"
#include "mpi/call/buffer_spans.h"
#include "mpi/call/call_counts.h"
#include "mpi/call/call_shape.h"
#include "mpi/call/datatype.h"
#include "mpi/call/forward_cache.h"
#include "mpi/call/last_execution.h"
#include "mpi/communicator/attachment.h"
#include "mpi/job/runtime.h"
#include "mpi/nonblocking/combination.h"
#include "mpi/nonblocking/nonblocking_requests.h"
#include "mpi/nonblocking/pending_call.h"
#include "planner/decision_text.h"

namespace quadrille {

NonblockingCall::NonblockingCall(const CallArguments& arguments, bool rehearses)
    : scope_(arguments.collective, arguments.comm), arguments_(arguments), rehearses_(rehearses) {
  if (scope_.is_nested()) return;
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
  began_ = monotonic_now();
  Attachment* const attachment = Attachment::find(arguments_.comm);
  if (attachment == nullptr || Runtime::active()->nonblocking() == nullptr) return;
  communicator_ = attachment->agreed_communicator();
  if (communicator_ == nullptr) {
    left_ = "no blocking collective before";
    return;
  }
  if (arguments_.collective == Collective::neighbor_alltoallv) {
    const Neighbourhood* const neighbours = attachment->neighbourhood(true);
    if (neighbours == nullptr) return;
    arguments_.use(*neighbours);
  }
  const bool combines = is_reducing(arguments_.collective);
  if (combines && !own_combination(arguments_.op, arguments_.send.type)) return;
  const auto shape = shape_of(arguments_, attachment->rank(), attachment->size());
  if (!shape) return;
  shape_ = *shape;
  if (const char* reason = attachment->reason_to_leave(shape_)) {
    left_ = reason;
    return;
  }
  Shape asked = shape_;
  asked.is_nonblocking = true;
  CallAgreement& agreement = communicator_->agreement();
  std::optional<Bytes> share;
  if (agreement.needs_share(asked)) share = mean_block(arguments_, shape_, communicator_->rank());
  agreed_ =
      agreement.start(asked, !combines || is_exact(arguments_.op, arguments_.send.type), share);
  if (agreed_.asks) ForwardCache::forget_all();  // the next blocking call has to exchange
  tell_plan(asked);
  left_ = agreed_.decision->reason;
  const Candidate& chosen = *agreed_.chosen;
  if (chosen.algorithm == nullptr || !chosen.algorithm->supports(shape_)) return;
  if (needs_messages_alone(chosen)) candidate_ = &chosen;
}

void NonblockingCall::tell_plan(const Shape& shape) const {
  Decision& decision = *agreed_.decision;
  if (!decision.trial.settled() || decision.told == decision.trial.candidate()) return;
  decision.told = decision.trial.candidate();
  if (communicator_->rank() == 0 && Runtime::active()->settings().logs("plan"))
    std::fprintf(stderr, "%s\n", plan_line(shape, agreed_.size, decision).c_str());
}

void NonblockingCall::count(bool by_library) const {
  if (!rehearses_)
    call_counts.add(arguments_.collective, CallCounts::Kind::nonblocking, by_library);
}

int NonblockingCall::begin(MPI_Request* request, std::function<void()> after) try {
  if (failure_ != MPI_SUCCESS) return failure_;
  auto call = std::make_unique<PendingCall>(arguments_, shape_, communicator_->rank());
  call->use({.before = {}, .after = std::move(after)});
  last_execution.take_algorithm(candidate_->name, agreed_.decision->reason, std::nullopt);
  count(false);
  last_execution.nonblocking_bytes = agreed_.size.value;
  int code = call->prepare(communicator_->planner(), *candidate_);
  if (code == MPI_SUCCESS) code = call->begin();
  if (code != MPI_SUCCESS) return code;
  return Runtime::active()->nonblocking()->start(arguments_.comm, *communicator_, std::move(call),
                                                 {agreed_.sample, began_}, request);
} catch (const std::bad_alloc&) {
  communicator_->complain(arguments_.name, "there is not enough memory for it");
  return MPI_ERR_NO_MEM;
}

void NonblockingCall::use_buffers(void* send, void* receive) {
  sent_address(arguments_) = send;
  received_address(arguments_) = receive;
}

void NonblockingCall::give_up() {
  if (agreed_.sample != nullptr) agreed_.sample->duration_ns = (monotonic_now() - began_).value;
}

int NonblockingCall::start(MPI_Request* request, std::function<void()> after) {
  const int code = begin(request, std::move(after));
  if (code != MPI_SUCCESS) give_up();
  scope_.end();
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments_.comm, code);
  return code;
}

int NonblockingCall::forwarded(int code, MPI_Request request) {
  if (scope_.is_nested()) return code;
  last_execution.take_library(left_);
  count(true);
  last_execution.nonblocking_bytes =
      agreed_.decision == nullptr ? message_size(shape_).value : agreed_.size.value;
  if (agreed_.sample != nullptr)
    Runtime::active()->nonblocking()->watch(request, {agreed_.sample, began_});
  return code;
}

}  // namespace quadrille
