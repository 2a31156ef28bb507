// SPDX-License-Identifier: BSD-3-Clause
// From the user's arguments to a shape, a decision and, where it fell on an algorithm of ours, its
// execution.
#include "mpi/call/collective_call.h"

#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/monotonic_clock.h"
#include "mpi/agree/multicast_agreement.h"
#include "mpi/call/call_memory.h"
#include "mpi/call/call_shape.h"
#include "mpi/call/counted_call.h"
#include "mpi/call/datatype.h"
#include "mpi/call/device_memory.h"
#include "mpi/call/last_execution.h"
#include "mpi/call/left_calls.h"
#include "mpi/communicator/attachment.h"
#include "mpi/job/runtime.h"

namespace quadrille {

namespace {

// One line a stage of a trial: the slowest rank's time of each call, by candidate.
void log_stage(const Shape& shape, Bytes size, const Decision& decision,
               std::span<const std::int64_t> longest) {
  std::string line = std::string("event=trial collective=") + name_of(shape.collective) +
                     " ranks=" + std::to_string(shape.ranks) +
                     " bytes=" + std::to_string(size.value);
  for (const std::uint32_t candidate : decision.trial.contenders()) {
    line += " " + decision.candidates[candidate].name + "_us=";
    const char* separator = "";
    for (std::size_t call = 0; call < longest.size(); ++call) {
      if (decision.trial.candidate_of(call) != candidate) continue;
      line += separator + std::to_string(longest[call] / 1000);
      separator = ",";
    }
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

std::string microseconds(Nanoseconds time) { return std::to_string(time.value / 1000); }

// Who executes calls of this class from now on, what the model says of it and of the next best.
void log_plan(const Shape& shape, Bytes size, const Decision& decision) {
  const std::uint32_t chosen = decision.trial.candidate();
  std::string line =
      std::string("event=plan collective=") + name_of(shape.collective) +
      " ranks=" + std::to_string(shape.ranks) + " bytes=" + std::to_string(size.value) +
      " chosen=" + decision.candidates[chosen].name + " reason=\"" + decision.reason + "\"";
  if (decision.predicted[chosen].value > 0)
    line += " predicted_us=" + microseconds(decision.predicted[chosen]);
  for (std::uint32_t other = 0; other < decision.candidates.size(); ++other) {
    if (other == chosen || decision.predicted[other].value == 0) continue;
    line += " instead_of=" + decision.candidates[other].name +
            " its_predicted_us=" + microseconds(decision.predicted[other]);
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

CollectiveCall::CollectiveCall(const CallArguments& arguments, const void* site)
    : scope_(arguments.collective, arguments.comm), arguments_(arguments), site_(site) {
  if (scope_.is_nested()) return;
  Communicator::give_up_call_left_by_jump();
  if (const char* known = LeftCalls::of_this_thread().reason(arguments_)) {
    left_ = known;
    return;
  }
  try {
    prepare();
  } catch (const std::bad_alloc&) {
    candidate_ = nullptr;
    fail(MPI_ERR_NO_MEM);
  } catch (const std::exception& problem) {
    candidate_ = nullptr;
    fail(MPI_ERR_INTERN);
    std::fprintf(stderr, "quadrille: %s: %s\n", arguments_.name, problem.what());
  }
}

void CollectiveCall::prepare() {
  Attachment* const attachment = Attachment::find(arguments_.comm);
  if (attachment == nullptr) return;
  if (Runtime::active()->trace() != nullptr) traced_from_ns_ = monotonic_now().value;
  const auto shape = shape_of(arguments_, attachment->rank(), attachment->size());
  if (!shape) return;
  shape_ = *shape;
  if (const char* reason = attachment->reason_to_leave(shape_)) {
    left_ = reason;
    LeftCalls::of_this_thread().keep(arguments_, attachment->rank(), left_);
    return;
  }
  communicator_ = attachment->communicator(arguments_.name);
  if (communicator_ == nullptr) return;
  decide();
  if (failure_ == MPI_SUCCESS && Runtime::active()->settings().check_decisions) check_decision();
}

// Whether one call may be executed by another algorithm than the last: never where that could
// change the result's bits.
bool CollectiveCall::may_alternate() const {
  return !is_reducing(shape_.collective) || is_exact(arguments_.op, arguments_.send.type);
}

// False, and the call fails, where the MPI library's messages do.
bool CollectiveCall::agree_on_maximum(std::span<std::int64_t> values) {
  const int code = communicator_->agree_on_maximum(values, arguments_.name);
  if (code != MPI_SUCCESS) fail(code);
  return code == MPI_SUCCESS;
}

// What the call's size is taken for by all ranks alike.
Bytes CollectiveCall::size() {
  if (!needs_shared_size(shape_.collective)) return message_size(shape_);
  Planner& planner = communicator_->planner();
  if (!planner.depends_on_size(shape_)) return {0};
  SharedSize& shared = communicator_->shared_size(shape_.collective);
  const Bytes own = mean_block(arguments_, shape_, communicator_->rank());
  const bool in_trial = !planner.decision(shape_, may_alternate(), shared.agreed()).trial.settled();
  // What is not tried makes no difference.
  if (!shared.is_due(own < planner.options().trial_floor ? Bytes{0} : own, in_trial))
    return shared.agreed();
  const Nanoseconds start = monotonic_now();
  const auto [own_largest, own_time_beside] = shared.to_compare();
  std::array values = {static_cast<std::int64_t>(own_largest),
                       static_cast<std::int64_t>(own_time_beside)};
  if (!agree_on_maximum(values)) return shared.agreed();
  const SharedSize::Comparison of_all{static_cast<std::uint64_t>(values[0]),
                                      static_cast<std::uint64_t>(values[1])};
  shared.learn(of_all, start, monotonic_now());
  return shared.agreed();
}

void CollectiveCall::find_decision() {
  decision_ = &communicator_->planner().decision(shape_, may_alternate(), size_);
  if (decision_->trial.samples_are_due()) judge_trial();
  decision_->trial.begin_call();
}

void CollectiveCall::decide() {
  size_ = size();
  if (failure_ != MPI_SUCCESS) return;
  find_decision();
  if (failure_ != MPI_SUCCESS) return;
  const MulticastAgreement multicast =
      agree_on_multicast(*communicator_, chosen(), size_, arguments_.name);
  if (multicast.mpi_error != MPI_SUCCESS) return fail(multicast.mpi_error);
  if (multicast.has_changed) find_decision();
  if (failure_ != MPI_SUCCESS) return;
  if (decision_->trial.settled() && decision_->told != decision_->trial.candidate()) {
    decision_->told = decision_->trial.candidate();
    if (communicator_->rank() == 0 && Runtime::active()->settings().logs("plan"))
      log_plan(shape_, size_, *decision_);
  }
  const Candidate& chosen = this->chosen();
  if (chosen.algorithm != nullptr && chosen.algorithm->supports(shape_)) candidate_ = &chosen;
  left_ = decision_->reason;
  const bool is_watched = traced_from_ns_ != 0 || Runtime::active()->settings().check_decisions ||
                          communicator_->multicast_watch().is_away();
  if (chosen.algorithm == nullptr && decision_->trial.is_final() && !is_watched)
    LeftCalls::of_this_thread().keep(arguments_, communicator_->rank(), left_);
  if (!decision_->trial.settled()) began_ns_ = monotonic_now().value;
}

// Of the arguments only what the standard makes equal on all ranks.
void CollectiveCall::check_decision() {
  std::string decision = std::string(arguments_.name) + " -> " + chosen().name;
  if (is_rooted(shape_.collective)) decision += " root=" + std::to_string(shape_.root);
  communicator_->check_decision(decision, arguments_.name);
}

void CollectiveCall::judge_trial() {
  Trial& trial = decision_->trial;
  SharedSize* shared = needs_shared_size(shape_.collective)
                           ? &communicator_->shared_size(shape_.collective)
                           : nullptr;
  std::vector<std::int64_t> longest(trial.samples().begin(), trial.samples().end());
  longest.push_back(shared != nullptr && shared->has_varied() ? 1 : 0);
  if (!agree_on_maximum(longest)) return;
  const bool some_share_varied = longest.back() != 0;
  longest.pop_back();
  const bool logs = communicator_->rank() == 0 && Runtime::active()->settings().logs("plan");
  if (logs) log_stage(shape_, size_, *decision_, longest);
  if (shared != nullptr && shared->end_stage(some_share_varied)) {
    trial.repeat_stage();
    return;
  }
  trial.judge(longest);
  if (!trial.settled()) return;
  decision_->reason = "tried";
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
  Runtime::active()->trace()->add({.communicator = communicator_->traced_name(),
                                   .number = communicator_->next_traced_call(),
                                   .function = arguments_.name,
                                   .algorithm = algorithm,
                                   .site = site_,
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
    return run_counted_call(*communicator_, *candidate_, shape_, call);
  const PreparedSchedule& prepared = communicator_->planner().schedule(shape_, *candidate_);
  return is_reducing(shape_.collective) ? run_reduction(*communicator_, prepared, shape_, call)
                                        : run_data_movement(*communicator_, prepared, shape_, call);
}

Outcome CollectiveCall::run() try {
  if (failure_ != MPI_SUCCESS) return {failure_};
  HostCopies copies(arguments_, shape_, communicator_->rank());
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
  trace(&candidate_->name, outcome);
}

int CollectiveCall::forwarded(int code) {
  if (scope_.is_nested()) return code;
  record();
  last_execution.take_library(left_);
  trace(nullptr, {});
  return code;
}

}  // namespace quadrille
