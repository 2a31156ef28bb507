// SPDX-License-Identifier: BSD-3-Clause
// From the user's arguments to a shape, a decision and, where it fell on an algorithm of ours, its
// execution.
#include "mpi/collective_call.h"

#include <cstdio>
#include <string>
#include <vector>

#include "executor/waiting.h"
#include "mpi/call_memory.h"
#include "mpi/datatype.h"
#include "mpi/last_execution.h"
#include "mpi/runtime.h"

namespace quadrille {

thread_local int CollectiveCall::depth = 0;

namespace {

// Bytes of data in a buffer; 0 for what MPI will complain of itself.
std::uint64_t data_bytes(const UserBuffer& buffer) {
  MPI_Count size = 0;
  if (buffer.count <= 0 || buffer.type == MPI_DATATYPE_NULL) return 0;
  if (PMPI_Type_size_x(buffer.type, &size) != MPI_SUCCESS || size <= 0) return 0;
  return static_cast<std::uint64_t>(buffer.count) * static_cast<std::uint64_t>(size);
}

// One line a stage of a trial: the slowest rank's time of each call, by candidate.
void log_stage(const Shape& shape, const Decision& decision,
               std::span<const std::int64_t> longest) {
  std::string line = std::string("event=trial collective=") + name_of(shape.collective) +
                     " ranks=" + std::to_string(shape.ranks) +
                     " bytes=" + std::to_string(message_size(shape).value);
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

void log_verdict(const Shape& shape, const Decision& decision) {
  std::fprintf(stderr, "event=plan collective=%s ranks=%d bytes=%llu chosen=%s reason=\"%s\"\n",
               name_of(shape.collective), shape.ranks,
               static_cast<unsigned long long>(message_size(shape).value),
               decision.candidates[decision.trial.candidate()].name.c_str(), decision.reason);
}

}  // namespace

CollectiveCall::CollectiveCall(const CallArguments& arguments) : arguments_(arguments) {
  if (++depth > 1) return;
  communicator_ = Communicator::find(arguments.comm);
  if (communicator_ != nullptr && fill_shape()) decide();
}

// False for arguments that are errors: the MPI library reports those. Only what is equal on all
// ranks goes in, but for in_place.
bool CollectiveCall::fill_shape() {
  const CallArguments& call = arguments_;
  const bool in_place = call.send.address == MPI_IN_PLACE;
  shape_.collective = call.collective;
  shape_.ranks = communicator_->size();
  switch (call.collective) {
    case Collective::barrier:
      return true;
    case Collective::bcast:
      shape_.root = call.root;
      shape_.count = data_bytes(call.receive);
      return call.receive.count >= 0 && call.root >= 0 && call.root < shape_.ranks;
    case Collective::reduce:
    case Collective::allreduce: {
      int commutative = 0;
      if (call.op == MPI_OP_NULL || PMPI_Op_commutative(call.op, &commutative) != MPI_SUCCESS)
        return false;
      const UserBuffer one{nullptr, 1, call.send.type};
      const bool rooted = call.collective == Collective::reduce;
      shape_.root = rooted ? call.root : 0;
      shape_.count = static_cast<std::uint64_t>(call.send.count);
      shape_.element_bytes = static_cast<std::uint32_t>(data_bytes(one));
      shape_.commutative = commutative != 0;
      shape_.in_place = in_place;
      return call.send.count >= 0 && shape_.element_bytes > 0 && shape_.root >= 0 &&
             shape_.root < shape_.ranks;
    }
    case Collective::allgather:
    case Collective::alltoall:
      shape_.count = data_bytes(in_place ? call.receive : call.send);
      shape_.in_place = in_place && call.collective == Collective::allgather;
      return shape_.count == data_bytes(call.receive);
  }
  return false;
}

// Whether one call may be executed by another algorithm than the last: never where that could
// change the result's bits.
bool CollectiveCall::may_alternate() const {
  return !is_reducing(shape_.collective) || is_exact(arguments_.op, arguments_.send.type);
}

void CollectiveCall::decide() {
  decision_ = &communicator_->planner().decision(shape_, may_alternate());
  if (decision_->trial.samples_are_due()) judge_trial();
  const Candidate& chosen = decision_->candidates[decision_->trial.candidate()];
  if (chosen.algorithm != nullptr && chosen.algorithm->supports(shape_)) candidate_ = &chosen;
  if (!decision_->trial.settled()) began_ns_ = monotonic_now().value;
}

void CollectiveCall::judge_trial() {
  Trial& trial = decision_->trial;
  const std::span<const std::int64_t> samples = trial.samples();
  std::vector<std::int64_t> longest(samples.size());
  PMPI_Allreduce(samples.data(), longest.data(), static_cast<int>(samples.size()), MPI_INT64_T,
                 MPI_MAX, arguments_.comm);
  const bool logs = communicator_->rank() == 0 && Runtime::active()->settings().logs("plan");
  if (logs) log_stage(shape_, *decision_, longest);
  trial.judge(longest);
  if (!trial.settled()) return;
  decision_->reason = "tried";
  if (logs) log_verdict(shape_, *decision_);
}

void CollectiveCall::record() {
  if (began_ns_ != 0) decision_->trial.record(monotonic_now().value - began_ns_);
}

int CollectiveCall::execute() {
  const PreparedSchedule& prepared = communicator_->planner().schedule(shape_, *candidate_);
  const int code = is_reducing(shape_.collective)
                       ? run_reduction(*communicator_, prepared, shape_, arguments_)
                       : run_data_movement(*communicator_, prepared, shape_, arguments_);
  record();
  last_execution = {true, &candidate_->name, decision_->reason};
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments_.comm, code);
  return code;
}

int CollectiveCall::forwarded(int code) {
  if (depth > 1) return code;
  record();
  last_execution = {true, nullptr, decision_ == nullptr ? "not handled" : decision_->reason};
  return code;
}

}  // namespace quadrille
