// SPDX-License-Identifier: BSD-3-Clause
// From the user's arguments to a shape, a decision and, where it fell on an algorithm of ours, its
// execution.
#include "mpi/call/collective_call.h"

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>

#include "base/monotonic_clock.h"
#include "mpi/agree/multicast_news.h"
#include "mpi/agree/rehearsal.h"
#include "mpi/call/call_buffers.h"
#include "mpi/call/call_counts.h"
#include "mpi/call/call_memory.h"
#include "mpi/call/call_shape.h"
#include "mpi/call/datatype.h"
#include "mpi/call/forward_cache.h"
#include "mpi/call/last_execution.h"
#include "mpi/call/timed_calls.h"
#include "mpi/call/vector_collective.h"
#include "mpi/communicator/attachment.h"
#include "mpi/device/device_memory.h"
#include "mpi/job/job_summary.h"
#include "mpi/job/runtime.h"
#include "planner/agree/call_agreement.h"
#include "planner/decision_text.h"

namespace quadrille {

CollectiveCall::CollectiveCall(const CallArguments& arguments, const void* site)
    : scope_(arguments.collective, arguments.comm), arguments_(arguments), site_(site) {
  if (scope_.is_nested()) return;
  Communicator::give_up_call_left_by_jump();
  if (job_summary.has_begun()) summed_from_ns_ = monotonic_now().value;
  if (const char* known = ForwardCache::of_this_thread().reason(arguments_)) {
    left_ = known;
    return;
  }
  try {
    prepare();
  } catch (const std::bad_alloc&) {
    give_up_preparing(MPI_ERR_NO_MEM);
  } catch (const std::exception& problem) {
    give_up_preparing(MPI_ERR_INTERN);
    std::fprintf(stderr, "quadrille: %s: %s\n", arguments_.name, problem.what());
  }
}

// The planner may have changed, and the calls that are kept with it.
void CollectiveCall::give_up_preparing(int code) {
  candidate_ = nullptr;
  fail(code);
  ForwardCache::forget_all();
}

void CollectiveCall::prepare() {
  Attachment* const attachment = Attachment::find(arguments_.comm);
  if (attachment == nullptr) return;
  if (arguments_.collective == Collective::neighbor_alltoallv) {
    const Neighbourhood* const neighbours = attachment->neighbourhood(false);
    if (neighbours == nullptr) return;
    arguments_.use(*neighbours);
  }
  if (Runtime::active()->trace() != nullptr) traced_from_ns_ = monotonic_now().value;
  const auto shape = shape_of(arguments_, attachment->rank(), attachment->size());
  if (!shape) return;
  shape_ = *shape;
  const Communicator* const agreed = attachment->agreed_communicator();
  const bool has_to_exchange = agreed != nullptr && agreed->agreement().has_to_exchange();
  if (const char* reason = attachment->reason_to_leave(shape_);
      reason != nullptr && !has_to_exchange) {
    left_ = reason;
    ForwardCache::of_this_thread().keep(arguments_, attachment->rank(), left_);
    return;
  }
  communicator_ = attachment->communicator(arguments_.name);
  if (communicator_ == nullptr) return;
  decide();
}

// Whether one call may be executed by another algorithm than the last: never where that could
// change the result's bits.
bool CollectiveCall::may_alternate() const {
  return !is_reducing(shape_.collective) || is_exact(arguments_.op, arguments_.send.type);
}

// Agrees with the other ranks, in at most one exchange.
std::optional<AgreedCall> CollectiveCall::agree() {
  CallAgreement& agreement = communicator_->agreement();
  std::optional<Bytes> share;
  if (agreement.needs_share(shape_)) share = mean_block(arguments_, shape_, communicator_->rank());
  const std::span<std::int64_t> values = agreement.begin(shape_, may_alternate(), share);
  if (values.empty()) return agreement.finish({}, {});
  const Nanoseconds start = monotonic_now();
  const int code = communicator_->agree_on_maximum(values, arguments_.name);
  if (code != MPI_SUCCESS) {
    fail(code);
    return std::nullopt;
  }
  AgreedCall agreed = agreement.finish(start, monotonic_now());
  const bool is_first = communicator_->rank() == 0;
  if (is_first && !agreed.stage.empty()) std::fprintf(stderr, "%s\n", agreed.stage.c_str());
  if (agreed.multicast_news) {
    // While the ranks are without multicast each call is counted, on all of them alike.
    ForwardCache::forget_all();
    tell_multicast_news(*Runtime::active(), *agreed.multicast_news, is_first);
  }
  return agreed;
}

// What is to be rehearsed first is: each call of it is agreed on as one of the program's.
std::optional<AgreedCall> CollectiveCall::agree_and_rehearse() {
  std::optional<AgreedCall> agreed = agree();
  if (!agreed || !agreed->decision->is_rehearsed) return agreed;
  while (agreed && !agreed->decision->trial.settled()) {
    const auto [code, took_ns] = rehearse(*communicator_, arguments_, shape_, *agreed->chosen);
    if (code != MPI_SUCCESS) {
      fail(code);
      return std::nullopt;
    }
    if (agreed->is_sample) agreed->decision->trial.record(took_ns);
    agreed = agree();
  }
  return agreed;
}

void CollectiveCall::decide() {
  const std::optional<AgreedCall> agreed = agree_and_rehearse();
  if (!agreed) return;
  decision_ = agreed->decision;
  const Candidate& chosen = *agreed->chosen;
  const Trial& trial = decision_->trial;
  if (trial.settled() && decision_->told != trial.candidate()) {
    decision_->told = trial.candidate();
    if (decision_->is_rehearsed) Runtime::active()->learn(communicator_->planner().reductions());
    if (communicator_->rank() == 0 && Runtime::active()->settings().logs("plan"))
      std::fprintf(stderr, "%s\n", plan_line(shape_, agreed->size, *decision_).c_str());
  }
  if (chosen.algorithm != nullptr && chosen.algorithm->supports(shape_)) candidate_ = &chosen;
  left_ = decision_->reason;
  const bool is_watched = traced_from_ns_ != 0 || Runtime::active()->settings().check_decisions ||
                          communicator_->agreement().is_without_multicast() ||
                          communicator_->agreement().has_to_exchange();
  if (communicator_->agreement().has_to_exchange()) ForwardCache::forget_all();
  if (chosen.algorithm == nullptr && trial.settled() && !is_watched) {
    Trial* const until = trial.is_final() ? nullptr : &decision_->trial;
    ForwardCache::of_this_thread().keep(arguments_, communicator_->rank(), left_, until);
  }
  if (agreed->is_sample) began_ns_ = monotonic_now().value;
  if (Runtime::active()->settings().check_decisions) check_decision(chosen);
}

// Of the arguments only what the standard makes equal on all ranks.
void CollectiveCall::check_decision(const Candidate& chosen) {
  std::string decision = std::string(arguments_.name) + " -> " + chosen.name;
  if (is_rooted(shape_.collective)) decision += " root=" + std::to_string(shape_.root);
  communicator_->check_decision(decision, arguments_.name);
}

void CollectiveCall::record() {
  if (began_ns_ != 0) decision_->trial.record(monotonic_now().value - began_ns_);
}

// Arguments that are errors have no shape, and no calls of others that they belong to.
// Without memory for its record a call goes on without one.
void CollectiveCall::trace(const std::string* algorithm, const Outcome& outcome) try {
  if (traced_from_ns_ == 0 || decision_ == nullptr) return;
  const Bytes size = needs_shared_size(shape_.collective)
                         ? mean_block(arguments_, shape_, communicator_->rank())
                         : message_size(shape_);
  const void* const site = TimedCalls::site();  // its return address leads into the timing library
  Runtime::active()->trace()->add({.communicator = communicator_->traced_name(),
                                   .number = communicator_->next_traced_call(),
                                   .function = arguments_.name,
                                   .algorithm = algorithm,
                                   .site = site != nullptr ? site : site_,
                                   .bytes = size.value,
                                   .root = is_rooted(shape_.collective) ? shape_.root : -1,
                                   .in_trial = !decision_->trial.settled(),
                                   .start_ns = traced_from_ns_,
                                   .end_ns = monotonic_now().value,
                                   .flows = outcome.flows ? &*outcome.flows : nullptr,
                                   .phases = outcome.phases});
} catch (const std::bad_alloc&) {
  traced_from_ns_ = 0;
}

Outcome CollectiveCall::run_on(const CallArguments& call) {
  if (has_counts(shape_.collective))
    return run_vector_collective(*communicator_, *candidate_, shape_, call);
  if (!is_reducing(shape_.collective))
    return run_data_movement(*communicator_, *candidate_, shape_, call);
  return run_reduction(*communicator_, *communicator_->planner().schedule(shape_, *candidate_),
                       shape_, call);
}

Outcome CollectiveCall::run() try {
  if (failure_ != MPI_SUCCESS) return {failure_};
  HostCopies copies(arguments_, shape_, communicator_->rank(), CallBuffers::of_this_thread());
  if (copies.code() != MPI_SUCCESS) return {copies.code()};
  return run_on(copies.call()).then([&] { return copies.give_back(); });
} catch (const LeftByException&) {
  throw;  // the program's own
} catch (const std::bad_alloc&) {
  return {MPI_ERR_NO_MEM};
} catch (const std::exception& problem) {
  std::fprintf(stderr, "quadrille: %s: %s\n", arguments_.name, problem.what());
  return {MPI_ERR_INTERN};
}

int CollectiveCall::execute() {
  Outcome outcome;
  std::exception_ptr of_program;
  try {
    outcome = run();
  } catch (const LeftByException& left) {
    of_program = left.cause;
  }
  if (outcome.code == MPI_ERR_NO_MEM && communicator_ != nullptr)
    communicator_->complain(arguments_.name, "there is not enough memory for it");
  if (candidate_ != nullptr) take_note(outcome);
  scope_.end();
  if (of_program) std::rethrow_exception(of_program);
  if (outcome.code != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments_.comm, outcome.code);
  return outcome.code;
}

void CollectiveCall::take_note(const Outcome& outcome) {
  record();
  if (outcome.flows) Runtime::active()->wire_log().add(shape_.collective, *outcome.flows);
  last_execution.take_algorithm(candidate_->name, decision_->reason, outcome.flows);
  sum_up(false);
  trace(&candidate_->name, outcome);
}

void CollectiveCall::sum_up(bool by_library) const {
  call_counts.add(arguments_.collective, CallCounts::Kind::blocking, by_library);
  if (summed_from_ns_ == 0) return;
  job_summary.add(Nanoseconds{monotonic_now().value - summed_from_ns_});
  if (by_library || began_ns_ != 0 || decision_->trial.gain_ns() == 0) return;
  job_summary.add_gain(decision_->trial.gain_ns());
}

int CollectiveCall::forwarded(int code) {
  if (scope_.is_nested()) return code;
  record();
  last_execution.take_library(left_);
  sum_up(true);
  trace(nullptr, {});
  return code;
}

}  // namespace quadrille
