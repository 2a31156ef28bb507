// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/nonblocking/pending_call.h"

#include <cstring>
#include <utility>

#include "mpi/call/datatype.h"
#include "mpi/call/vector_collective.h"
#include "mpi/nonblocking/combination.h"

namespace quadrille {
namespace {

// Elements are the user's, combined where they lie.
class CombinedData final : public CallData {
 public:
  CombinedData(const CallArguments& call, const Shape& shape, CallBuffers& buffers)
      : call_(call), shape_(shape), buffers_(buffers) {}

  int fill() override { return MPI_SUCCESS; }
  const SharedSchedule& schedule(Planner& planner, const Candidate& candidate) override {
    if (shape_.collective != Collective::reduce_scatter) return planner.schedule(shape_, candidate);
    return planner.schedule(shape_, candidate, combined_blocks(call_, shape_.ranks));
  }
  CallMemory memory(std::uint64_t scratch_length) override {
    const std::size_t bytes = shape_.element_bytes;
    CallMemory memory;
    memory.element_stride = static_cast<std::int64_t>(bytes);
    memory.send = shape_.in_place ? nullptr : static_cast<const std::byte*>(call_.send.address);
    memory.receive = static_cast<std::byte*>(call_.receive.address);
    memory.scratch = buffers_.scratch(scratch_length * bytes);
    memory.copy = [bytes](const std::byte* from, std::byte* into, std::uint64_t length) {
      std::memcpy(into, from, length * bytes);
    };
    memory.reduce = own_combination(call_.op, call_.send.type);
    return memory;
  }
  int give_back() override { return MPI_SUCCESS; }

 private:
  const CallArguments& call_;
  const Shape& shape_;
  CallBuffers& buffers_;
};

}  // namespace

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
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
    case Collective::reduce_scatter:
    case Collective::scan:
    case Collective::exscan:
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
  if (is_reducing(shape_.collective)) {
    data_ = std::make_unique<CombinedData>(host_->call(), shape_, buffers_);
  } else {
    data_ = has_counts(shape_.collective) ? vector_blocks(host_->call(), shape_, rank, buffers_)
                                          : equal_blocks(host_->call(), shape_, rank, buffers_);
  }
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
