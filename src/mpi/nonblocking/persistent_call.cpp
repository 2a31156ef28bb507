// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/nonblocking/persistent_call.h"

#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "mpi/call/buffer_spans.h"
#include "mpi/call/call_counts.h"
#include "mpi/call/collective_call.h"
#include "mpi/call/last_execution.h"
#include "mpi/communicator/attachment.h"
#include "mpi/job/runtime.h"
#include "mpi/nonblocking/nonblocking_requests.h"
#include "wire/channels.h"

namespace quadrille {
namespace {

// Trials of four candidates take some 40 calls.
constexpr int most_rehearsals = 200;

// The exchange of a blocking call judges the nonblocking ones before it.
void judge_in_barrier(MPI_Comm comm, const char* operation) {
  CollectiveCall barrier({.collective = Collective::barrier, .name = operation, .comm = comm});
  if (barrier.replaced()) {
    barrier.execute();
  } else {
    barrier.forwarded(PMPI_Barrier(comm));
  }
}

}  // namespace

PersistentCall::PersistentCall(const CallArguments& arguments, StartByLibrary start_by_library)
    : arguments_(arguments), start_by_library_(start_by_library) {
  scope_.emplace(arguments.collective, arguments.comm);
  if (scope_->is_nested()) return;
  scope_.reset();  // the calls that try it are no parts of it
  try {
    settle();
  } catch (const std::bad_alloc&) {
    failure_ = MPI_ERR_NO_MEM;
  } catch (const std::exception& problem) {
    failure_ = MPI_ERR_INTERN;
    std::fprintf(stderr, "quadrille: %s: %s\n", arguments_.name, problem.what());
  }
  sent_ = {};
  received_ = {};
  scope_.emplace(arguments.collective, arguments.comm);
}

void PersistentCall::settle() {
  Attachment* const attachment = Attachment::find(arguments_.comm);
  if (attachment == nullptr || Runtime::active()->nonblocking() == nullptr) return;
  communicator_ = attachment->communicator(arguments_.name);
  if (communicator_ == nullptr) return;
  for (int i = 0; i < most_rehearsals; ++i) {
    NonblockingCall call(arguments_, true);
    if (!call.is_tried()) return take(call);
    if (i == 0 && !get_rehearsal_buffers(call)) {
      call.give_up();
      break;
    }
    call.use_buffers(send_address_, receive_address_);
    rehearse(call);
    if (call.asks()) judge_in_barrier(arguments_.comm, arguments_.name);
  }
  left_ = "not tried to the end";
}

// All ranks have them, or none goes on.
bool PersistentCall::get_rehearsal_buffers(const NonblockingCall& call) {
  CallArguments real = call.arguments();
  const Rank rank = communicator_->rank();
  std::array failed{std::int64_t{0}};
  const auto get = [](void* address, const BufferSpan& span, std::vector<std::byte>& memory) {
    if (address == MPI_IN_PLACE || span.empty()) return address;
    memory.resize(span.bytes());
    return static_cast<void*>(memory.data() - span.begin);
  };
  try {
    send_address_ = get(sent_address(real), sent_span(real, call.shape(), rank), sent_);
    receive_address_ =
        get(received_address(real), received_span(real, call.shape(), rank), received_);
  } catch (const std::bad_alloc&) {
    failed[0] = 1;
  }
  return communicator_->agree_on_maximum(failed, arguments_.name) == MPI_SUCCESS && failed[0] == 0;
}

void PersistentCall::rehearse(NonblockingCall& call) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code =
      call.replaced() ? call.start(&request) : start_by_library_(call.arguments(), &request);
  if (!call.replaced()) call.forwarded(code, request);
  if (code != MPI_SUCCESS) return;
  NonblockingRequests& requests = *Runtime::active()->nonblocking();
  const MPI_Request started = request;
  requests.wait_for({&started, 1});
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  requests.completed(started);
}

void PersistentCall::take(const NonblockingCall& call) {
  left_ = call.reason();
  if (!call.replaced()) return;
  Runtime& runtime = *Runtime::active();
  Contexts::Terms terms{communicator_->rank(), runtime.world_rank()};
  try {
    call_ = std::make_unique<PendingCall>(call.arguments(), call.shape(), communicator_->rank());
    terms.is_usable = call_->keep_arguments() == MPI_SUCCESS &&
                      call_->prepare(communicator_->planner(), *call.candidate()) == MPI_SUCCESS;
    last_execution.take_algorithm(call.candidate()->name, left_, std::nullopt);
    last_execution.nonblocking_bytes = message_size(call.shape()).value;
  } catch (const std::bad_alloc&) {
    terms.is_usable = false;  // the others learn of it next
  }
  const Contexts::Agreement agreement = runtime.contexts().agree(
      arguments_.comm, terms, {runtime.settings().wait_report_s, [this] {
                                 communicator_->report_long_wait(arguments_.name, {});
                               }});
  if (agreement.verdict != Contexts::Verdict::agreed) {
    call_.reset();
    left_ = "no channel for it";
    return;
  }
  context_ = agreement.number;
}

int PersistentCall::make(MPI_Request* request, PendingCall::Hooks hooks) {
  scope_.reset();
  int code = failure_;
  if (code == MPI_SUCCESS) {
    call_counts.add(arguments_.collective, CallCounts::Kind::persistent, false);
    call_->use(std::move(hooks));
    try {
      code = Runtime::active()->nonblocking()->make_persistent(
          arguments_.comm, *communicator_, std::move(call_),
          communicator_->background_ranks(wire::channel_of_context(context_)), context_, request);
    } catch (const std::bad_alloc&) {
      code = MPI_ERR_NO_MEM;
    }
  }
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments_.comm, code);
  return code;
}

int PersistentCall::forwarded(int code) {
  if (scope_->is_nested()) return code;
  last_execution.take_library(left_);
  call_counts.add(arguments_.collective, CallCounts::Kind::persistent, true);
  last_execution.nonblocking_bytes = 0;
  return code;
}

}  // namespace quadrille
