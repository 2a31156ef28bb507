// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/nonblocking/pending_call.h"

#include <utility>

#include "mpi/call/datatype.h"
#include "mpi/call/vector_collective.h"

namespace quadrille {

PendingCall::PendingCall(const CallArguments& call, const Shape& shape, std::function<void()> after)
    : call_(call), shape_(shape), after_(std::move(after)) {}

PendingCall::~PendingCall() {
  for (MPI_Datatype& type : types_) PMPI_Type_free(&type);
}

int PendingCall::keep(MPI_Datatype& type) {
  if (type == MPI_DATATYPE_NULL || is_predefined_type(type) ||
      combiner_of(type) == MPI_COMBINER_NAMED)
    return MPI_SUCCESS;
  types_.reserve(types_.size() + 1);
  const int code = PMPI_Type_dup(type, &type);
  if (code == MPI_SUCCESS) types_.push_back(type);
  return code;
}

// What is sent is packed at once: only types of what comes are needed later. Null where this rank
// receives nothing, or what says of which type may be none.
MPI_Datatype* PendingCall::received_type(Rank rank) {
  switch (shape_.collective) {
    case Collective::barrier:
      return nullptr;
    case Collective::gather:
      return rank == shape_.root ? &call_.receive.type : nullptr;
    case Collective::scatter:
    case Collective::scatterv:
      return shape_.in_place ? nullptr : &call_.receive.type;
    case Collective::gatherv:
      if (rank != shape_.root) return nullptr;
      break;
    case Collective::allgatherv:
    case Collective::alltoallv:
      break;
    default:
      return &call_.receive.type;
  }
  for (Rank peer = 0; peer < shape_.ranks; ++peer) {
    if (call_.receive_blocks.count(peer) > 0) return &call_.receive_blocks.one_type;
  }
  return nullptr;
}

int PendingCall::prepare(Planner& planner, const Candidate& candidate, Rank rank) {
  if (MPI_Datatype* const type = received_type(rank)) {
    if (const int code = keep(*type); code != MPI_SUCCESS) return code;
  }
  host_.emplace(call_, shape_, rank, buffers_);
  if (host_->code() != MPI_SUCCESS) return host_->code();
  data_ = has_counts(shape_.collective) ? vector_blocks(host_->call(), shape_, rank, buffers_)
                                        : equal_blocks(host_->call(), shape_, rank, buffers_);
  if (const int code = data_->fill(); code != MPI_SUCCESS) return code;
  const SharedSchedule schedule = data_->schedule(planner, candidate);
  background_ = std::make_shared<BackgroundCall>(
      schedule, data_->memory(schedule->schedule().scratch_length));
  return MPI_SUCCESS;
}

int PendingCall::complete() {
  if (background_->is_truncated()) return MPI_ERR_TRUNCATE;
  int code = data_->give_back();
  if (code == MPI_SUCCESS) code = host_->give_back();
  if (after_) after_();
  return code;
}

}  // namespace quadrille
